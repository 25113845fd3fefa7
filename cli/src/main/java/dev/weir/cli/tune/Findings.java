package dev.weir.cli.tune;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What came out.
 *
 * @param sizes as many threads as connections: what the database can do
 * @param queues more threads than connections, through the pool: what waiting outside costs; may be empty
 * @param advice the answer
 * @param stopped why not everything planned was measured, or null
 */
record Findings(
        List<Point> sizes,
        List<Point> queues,
        Advice advice,
        @Nullable String stopped) {}

package dev.weir.lab.workload;

import dev.weir.lab.runs.Cell;
import dev.weir.lab.runs.RunFolder;
import java.io.IOException;
import java.util.List;
import java.util.Map;

/** What the cells of a run are run on. For one thread at a time. */
public interface Bench extends AutoCloseable {

    /** Returns those of the cells that are left, the first among them, that are run together. */
    default List<Cell> together(List<Cell> left) {
        return left.subList(0, 1);
    }

    /**
     * Runs cells.
     *
     * @return what came of each; where a failure stands and somebody asked to stop, the cells count as not run
     */
    Map<Cell, Outcome> run(RunFolder folder, List<Cell> cells) throws IOException, InterruptedException;

    @Override
    default void close() {}
}

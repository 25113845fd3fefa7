package dev.weir.lab.runs;

import java.util.List;

/**
 * A figure that others have published, to stand beside ours and never to be mixed with them: another machine, another JDK,
 * other versions.
 *
 * @param workload to which of our workloads it compares
 * @param pool whose
 * @param median of the threads
 * @param mean of the threads
 * @param max of the threads
 * @param unit of all three
 */
public record Published(String workload, String pool, double median, double mean, double max, String unit) {

    /** What the report marks as published. */
    public static final List<Published> ALL = List.of(
            new Published("mixed", "bonecp", 5533, 3756, 8189, "ms"),
            new Published("mixed", "hikari", 12, 11, 32, "ms"));
}

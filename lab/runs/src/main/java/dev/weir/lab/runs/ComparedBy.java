package dev.weir.lab.runs;

/**
 * The metric that the pools of a workload are compared by: the first column of its table on the terminal, and the one that its
 * chapter of the report sorts pools by. Here are those of the workloads whose table and chapter agree.
 */
public final class ComparedBy {
    public static final String CYCLE = "time";
    public static final String MIXED = "median";
    public static final String SPIKE = "done";

    /** Not the throughput, in which the pools hardly differ: how long a thread waits says whether it is served fairly. */
    public static final String FAIR = "p99";

    public static final String START = "first connection";

    private ComparedBy() {}
}

package dev.weir.lab.bench;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** The cycles that JMH measures. */
public enum Benchmark {
    /** A connection is acquired and given back, with a connection for every thread. */
    CONNECTION(ConnectionCycle.class),
    /** The same, with fewer connections than threads. */
    CONTENDED(ContendedCycle.class),
    /** A connection of a pool of any size, of which all but a few may be held. */
    MANY(ManyCycle.class),
    /** A statement on a connection that the thread holds. */
    STATEMENT(StatementCycle.class),
    /** A connection, a statement on it, and both given back. */
    FULL(FullCycle.class),
    /** A connection of a real PostgreSQL is acquired and given back. */
    POSTGRES(PostgresCycle.class),
    /** The same, and asked for one row. */
    QUERY(PostgresQueryCycle.class);

    private final Class<? extends PoolState> type;

    Benchmark(Class<? extends PoolState> type) {
        this.type = type;
    }

    /** Returns the name in options and tables. */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Returns all names. */
    public static List<String> labels() {
        return Arrays.stream(values()).map(Benchmark::label).collect(Collectors.toList());
    }

    /** Returns JMH's name of the benchmark, as a regular expression. */
    String include() {
        return "\\b" + type.getSimpleName() + "\\.cycle$";
    }
}

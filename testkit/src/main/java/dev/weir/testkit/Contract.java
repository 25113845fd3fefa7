package dev.weir.testkit;

import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import javax.sql.DataSource;

/** The words of the {@link ContractSuite}: what it needs of a pool, and what it tells about it. */
public final class Contract {

    private Contract() {}

    /**
     * How the pool under test is to be set up. Beside the values here, a pool should test each connection before it is
     * lent, not wait for a connection when it is made, and roll back what was not committed, as far as it can be told to.
     *
     * @param maximumPoolSize how many connections there may be at most
     * @param minimumPoolSize how many there should be at least, idle and in use
     * @param connectionTimeout how long getConnection() may take
     * @param validationTimeout how long the test of a connection may take
     * @param closeTimeout how long connections in use have when the pool is closed
     * @param retryDelay how long to wait after a failed connect
     * @param autoCommit in which mode connections are lent
     */
    public record Spec(
            int maximumPoolSize,
            int minimumPoolSize,
            Duration connectionTimeout,
            Duration validationTimeout,
            Duration closeTimeout,
            Duration retryDelay,
            boolean autoCommit) {

        /** A pool of so many connections, none at first, with 3 s to get one, 500 ms to test one and 1 s to close. */
        public static Spec ofSize(int maximumPoolSize) {
            return new Spec(
                    maximumPoolSize,
                    0,
                    Duration.ofSeconds(3),
                    Duration.ofMillis(500),
                    Duration.ofSeconds(1),
                    Duration.ofMillis(100),
                    true);
        }

        /** Returns this with another {@link #minimumPoolSize}. */
        public Spec withMinimum(int minimum) {
            return new Spec(
                    maximumPoolSize,
                    minimum,
                    connectionTimeout,
                    validationTimeout,
                    closeTimeout,
                    retryDelay,
                    autoCommit);
        }

        /** Returns this with another {@link #connectionTimeout}. */
        public Spec withTimeout(Duration timeout) {
            return new Spec(
                    maximumPoolSize, minimumPoolSize, timeout, validationTimeout, closeTimeout, retryDelay, autoCommit);
        }

        /** Returns this with another {@link #autoCommit}. */
        public Spec withAutoCommit(boolean mode) {
            return new Spec(
                    maximumPoolSize,
                    minimumPoolSize,
                    connectionTimeout,
                    validationTimeout,
                    closeTimeout,
                    retryDelay,
                    mode);
        }
    }

    /** Makes the pool under test. */
    @FunctionalInterface
    public interface Factory {

        /**
         * Makes a pool of connections to {@code db} ({@link StubDatabase#url()} or {@link StubDatabase#dataSource()}).
         *
         * @throws Exception if it cannot, which fails the check
         */
        Pool open(StubDatabase db, Spec spec) throws Exception;
    }

    /** A pool under test. */
    public interface Pool extends AutoCloseable {

        /** Returns what users get their connections from. */
        DataSource dataSource();

        /**
         * Suspends the pool: users wait until it is resumed.
         *
         * @throws UnsupportedOperationException if the pool cannot, which is not held against it
         */
        default void suspend() {
            throw new UnsupportedOperationException("this pool cannot be suspended");
        }

        /**
         * Closes the pool.
         *
         * @throws SQLException if it cannot
         */
        @Override
        void close() throws SQLException;
    }

    /** How a check ended. */
    public enum Outcome {
        /** The pool keeps the promise. */
        PASSED,
        /** It does not. */
        FAILED,
        /** It lacks what the check is about. */
        UNSUPPORTED
    }

    /**
     * The result of a check.
     *
     * @param promise the promise it belongs to, P1 to P9, or API
     * @param name its name
     * @param outcome how it ended
     * @param message what was seen, empty if it passed
     * @param took how long it took
     */
    public record Result(String promise, String name, Outcome outcome, String message, Duration took) {

        /**
         * Turns a failure into an error, for test frameworks.
         *
         * @return this
         * @throws AssertionError if the check failed
         */
        public Result orThrow() {
            if (outcome == Outcome.FAILED) {
                throw new AssertionError(promise + " " + name + ": " + message);
            }
            return this;
        }
    }

    /** The results of several pools side by side, as text: a line for each check, a column for each pool. */
    public static String matrix(Map<String, List<Result>> results) {
        StringBuilder text = new StringBuilder(String.format("%-4s %-60s", "", ""));
        results.keySet().forEach(pool -> text.append(String.format(" %-12s", pool)));
        for (ContractSuite.Check check : ContractSuite.all()) {
            text.append(String.format("%n%-4s %-60s", check.promise(), check.name()));
            for (List<Result> ofPool : results.values()) {
                String outcome = ofPool.stream()
                        .filter(result -> result.name().equals(check.name()))
                        .map(result -> switch (result.outcome()) {
                            case PASSED -> "yes";
                            case FAILED -> "NO";
                            case UNSUPPORTED -> "-";
                        })
                        .collect(Collectors.joining());
                text.append(String.format(" %-12s", outcome));
            }
        }
        return text.append(System.lineSeparator()).toString();
    }
}

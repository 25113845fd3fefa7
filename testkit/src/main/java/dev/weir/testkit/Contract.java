package dev.weir.testkit;

import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** The words of the {@link ContractSuite}: what it needs of a pool, and what it tells about it. */
public final class Contract {

    private Contract() {}

    /**
     * The setup of the pool under test. Beside the values here, a pool should test each connection before it is lent,
     * and roll back what was not committed, as far as it can be told to. A pool that cannot be told one of the values
     * throws {@link Unsupported} where a check asks for it. Immutable.
     */
    public static final class Spec {

        private final int maximumPoolSize;
        private int minimumPoolSize;
        private Duration connectionTimeout = Duration.ofSeconds(3);
        private final Duration validationTimeout = Duration.ofMillis(500);
        private Duration closeTimeout = Duration.ofSeconds(1);
        private final Duration cleanTimeout = Duration.ofSeconds(1);
        private final Duration discardTimeout = Duration.ofSeconds(1);
        private Duration retryDelay = Duration.ofMillis(100);
        private Duration grace = Duration.ZERO;
        private @Nullable Duration idleTimeout;
        private @Nullable Duration maxLifetime;
        private boolean autoCommit = true;
        private boolean connectsAtStart;

        private Spec(int maximumPoolSize) {
            this.maximumPoolSize = maximumPoolSize;
        }

        /** A pool of so many connections, none at first, with 3 s to get one, 500 ms to test one and 1 s to close. */
        public static Spec ofSize(int maximumPoolSize) {
            return new Spec(maximumPoolSize);
        }

        private Spec with(Consumer<Spec> change) {
            Spec copy = new Spec(maximumPoolSize);
            copy.minimumPoolSize = minimumPoolSize;
            copy.connectionTimeout = connectionTimeout;
            copy.closeTimeout = closeTimeout;
            copy.retryDelay = retryDelay;
            copy.grace = grace;
            copy.idleTimeout = idleTimeout;
            copy.maxLifetime = maxLifetime;
            copy.autoCommit = autoCommit;
            copy.connectsAtStart = connectsAtStart;
            change.accept(copy);
            return copy;
        }

        /** Returns this with another {@link #minimumPoolSize}. */
        public Spec withMinimum(int minimum) {
            return with(copy -> copy.minimumPoolSize = minimum);
        }

        /** Returns this with another {@link #connectionTimeout}. */
        public Spec withTimeout(Duration timeout) {
            return with(copy -> copy.connectionTimeout = timeout);
        }

        /** Returns this with another {@link #closeTimeout}. */
        public Spec withCloseTimeout(Duration timeout) {
            return with(copy -> copy.closeTimeout = timeout);
        }

        /** Returns this with another {@link #autoCommit}. */
        public Spec withAutoCommit(boolean mode) {
            return with(copy -> copy.autoCommit = mode);
        }

        /** Returns this with another {@link #retryDelay}. */
        public Spec withRetryDelay(Duration delay) {
            return with(copy -> copy.retryDelay = delay);
        }

        /** Returns this with another {@link #grace}. */
        public Spec withGrace(Duration time) {
            return with(copy -> copy.grace = time);
        }

        /** Returns this with an {@link #idleTimeout} and a {@link #maxLifetime}. */
        public Spec withAges(Duration idle, Duration lifetime) {
            return with(copy -> {
                copy.idleTimeout = idle;
                copy.maxLifetime = lifetime;
            });
        }

        /** Returns this with {@link #connectsAtStart}. */
        public Spec withConnectAtStart() {
            return with(copy -> copy.connectsAtStart = true);
        }

        /** Returns how many connections there may be at most. */
        public int maximumPoolSize() {
            return maximumPoolSize;
        }

        /** Returns how many there should be at least, idle and in use. */
        public int minimumPoolSize() {
            return minimumPoolSize;
        }

        /** Returns how long getConnection() may take. */
        public Duration connectionTimeout() {
            return connectionTimeout;
        }

        /** Returns how long the test of a connection may take. */
        public Duration validationTimeout() {
            return validationTimeout;
        }

        /** Returns how long connections in use have when the pool is closed. */
        public Duration closeTimeout() {
            return closeTimeout;
        }

        /** Returns how long close() of a user's connection may take while the database does not answer. */
        public Duration cleanTimeout() {
            return cleanTimeout;
        }

        /** Returns how long closing a physical connection may take before it is aborted and its place is free. */
        public Duration discardTimeout() {
            return discardTimeout;
        }

        /** Returns how long to wait after a failed connect. */
        public Duration retryDelay() {
            return retryDelay;
        }

        /** Returns how long after its last use a connection may be lent without a test. */
        public Duration grace() {
            return grace;
        }

        /** Returns how long a connection is surplus before it is closed, or null for the pool's own default. */
        public @Nullable Duration idleTimeout() {
            return idleTimeout;
        }

        /** Returns how old a connection may become, or null for the pool's own default. */
        public @Nullable Duration maxLifetime() {
            return maxLifetime;
        }

        /** Returns in which mode connections are lent. */
        public boolean autoCommit() {
            return autoCommit;
        }

        /**
         * Returns whether the pool starts as it does by default, which may be to wait for a first connection; else it should
         * not connect before it has to.
         */
        public boolean connectsAtStart() {
            return connectsAtStart;
        }
    }

    /**
     * Thrown by the maker of a pool for what the pool has not, and by a check for what its driver or this JVM has not:
     * the one way for a check to end as {@link Outcome#UNSUPPORTED}. An exception of the pool itself never excuses it.
     */
    public static final class Unsupported extends RuntimeException {

        private static final long serialVersionUID = 1L;
        private final String what;

        /** Something that is not there, in words. */
        public Unsupported(String what) {
            super(what);
            this.what = what;
        }

        /** Returns what is not there. */
        public String what() {
            return what;
        }
    }

    /** Makes the pool under test. */
    @FunctionalInterface
    public interface Factory {

        /**
         * Makes a pool of connections to {@code db} ({@link StubDatabase#url()} or {@link StubDatabase#dataSource()}).
         *
         * @throws Unsupported if the pool cannot be told what the spec asks for
         * @throws Exception if it cannot be made, which fails the check
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
         * @throws Unsupported if the pool cannot, which is not held against it
         */
        default void suspend() {
            throw new Unsupported("this pool cannot be suspended");
        }

        /**
         * Closes the pool.
         *
         * @throws SQLException if it cannot
         */
        @Override
        void close() throws SQLException;
    }

    /** The outcome of a check. */
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
     * @param promise the promise it belongs to: P1 to P9, P11 (a user's fault is his own), P12 (nothing is lost), or API
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

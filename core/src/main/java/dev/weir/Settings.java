package dev.weir;

import dev.weir.spi.FailureClassifier;
import org.jspecify.annotations.Nullable;

/** Stub: the settings in force. */
final class Settings {

    // changeable while the pool runs; volatile

    int maximumPoolSize() {
        return 1;
    }

    int minimumPoolSize() {
        return 1;
    }

    int acquireIncrement() {
        return 1;
    }

    int acquireRetries() {
        return 1;
    }

    long acquireRetryDelayNanos() {
        return 1_000_000_000L;
    }

    long connectionTimeoutNanos() {
        return 1_000_000_000L;
    }

    long idleTimeoutNanos() {
        return 1_000_000_000L;
    }

    long maxLifetimeNanos() {
        return 1_000_000_000L;
    }

    long leakDetectionThresholdNanos() {
        return 1_000_000_000L;
    }

    // fixed

    int minimumIdle() {
        return 1;
    }

    int maximumWaiters() {
        return 1;
    }

    long validationTimeoutNanos() {
        return 1_000_000_000L;
    }

    long connectTimeoutNanos() {
        return 1_000_000_000L;
    }

    long closeTimeoutNanos() {
        return 1_000_000_000L;
    }

    long validateAfterIdleNanos() {
        return 1_000_000_000L;
    }

    long keepaliveTimeNanos() {
        return 1_000_000_000L;
    }

    long initializationFailTimeoutNanos() {
        return 1_000_000_000L;
    }

    boolean jdbc4ConnectionTest() {
        return true;
    }

    boolean registerMbeans() {
        return true;
    }

    String poolName() {
        return "pool";
    }

    @Nullable
    String connectionTestQuery() {
        return null;
    }

    @Nullable
    Boolean autoCommit() {
        return null;
    }

    @Nullable
    Boolean readOnly() {
        return null;
    }

    @Nullable
    Integer transactionIsolation() {
        return null;
    }

    @Nullable
    String catalog() {
        return null;
    }

    @Nullable
    String schema() {
        return null;
    }

    @Nullable
    String connectionInitSql() {
        return null;
    }

    @Nullable
    String resetSql() {
        return null;
    }

    @Nullable
    FailureClassifier failureClassifier() {
        return null;
    }

    /** This text without the secrets of this pool: its password, and passwords in URLs. */
    @Nullable
    String redact(@Nullable String text) {
        return text;
    }
}

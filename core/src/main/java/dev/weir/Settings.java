package dev.weir;

import dev.weir.spi.FailureClassifier;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/**
 * The settings in force in one pool, in the units of the engine. Nine of them may change while it runs: each change builds
 * and checks a whole new {@link PoolConfig}, then publishes the fields one by one. A reader that needs two of them may see
 * one old and one new value for an instant; the engine looks at them again when it is told that they changed.
 */
final class Settings {
    /** How many passwords that a CredentialsProvider gave out are remembered, to keep them out of messages. */
    private static final int SECRETS = 16;

    private final String poolName;
    private final PoolConfig initial;
    private final int minimumIdle;
    private final int maximumWaiters;
    private final long validationTimeoutNanos;
    private final long connectTimeoutNanos;
    private final long closeTimeoutNanos;
    private final long validateAfterIdleNanos;
    private final long keepaliveTimeNanos;
    private final long initializationFailTimeoutNanos;
    private final boolean jdbc4ConnectionTest;
    private final @Nullable String connectionTestQuery;
    private final @Nullable Boolean autoCommit;
    private final @Nullable Boolean readOnly;
    private final @Nullable Integer transactionIsolation;
    private final @Nullable String catalog;
    private final @Nullable String schema;
    private final @Nullable String resetSql;
    private final @Nullable FailureClassifier failureClassifier;
    private final List<String> learned = new CopyOnWriteArrayList<>(); // newest last

    // changeable while the pool runs; written under the monitor of this
    private volatile PoolConfig config;
    private volatile int maximumPoolSize;
    private volatile int minimumPoolSize;
    private volatile int acquireIncrement;
    private volatile int acquireRetries;
    private volatile long acquireRetryDelayNanos;
    private volatile long connectionTimeoutNanos;
    private volatile long idleTimeoutNanos;
    private volatile long maxLifetimeNanos;
    private volatile long leakDetectionThresholdNanos;

    Settings(PoolConfig config, String poolName) {
        this.poolName = poolName;
        this.initial = config;
        this.minimumIdle = config.minimumIdle();
        this.maximumWaiters = config.maximumWaiters();
        this.validationTimeoutNanos = config.validationTimeout().toNanos();
        this.connectTimeoutNanos = config.connectTimeout().toNanos();
        this.closeTimeoutNanos = config.closeTimeout().toNanos();
        this.validateAfterIdleNanos = config.validateAfterIdle().toNanos();
        this.keepaliveTimeNanos = config.keepaliveTime().toNanos();
        this.initializationFailTimeoutNanos = config.initializationFailTimeout().toNanos();
        this.jdbc4ConnectionTest = config.jdbc4ConnectionTest();
        this.connectionTestQuery = config.connectionTestQuery();
        this.autoCommit = config.autoCommit();
        this.readOnly = config.readOnly();
        this.transactionIsolation = config.transactionIsolation();
        this.catalog = config.catalog();
        this.schema = config.schema();
        this.resetSql = config.resetSql();
        this.failureClassifier = config.failureClassifier();
        this.config = config;
        publish(config);
    }

    private void publish(PoolConfig next) {
        config = next;
        maximumPoolSize = next.maximumPoolSize();
        minimumPoolSize = next.minimumPoolSize();
        acquireIncrement = next.acquireIncrement();
        acquireRetries = next.acquireRetries();
        acquireRetryDelayNanos = next.acquireRetryDelay().toNanos();
        connectionTimeoutNanos = next.connectionTimeout().toNanos();
        idleTimeoutNanos = next.idleTimeout().toNanos();
        maxLifetimeNanos = next.maxLifetime().toNanos();
        leakDetectionThresholdNanos = next.leakDetectionThreshold().toNanos();
    }

    /**
     * Changes one setting; null goes back to its default. The pool must be told by {@link ConnectionPool#settingsChanged}.
     *
     * @throws IllegalStateException if it cannot be changed while the pool runs
     * @throws IllegalArgumentException if the value is wrong, or contradicts another setting
     */
    void change(Setting setting, @Nullable Object value) {
        if (!setting.changeable()) {
            throw new IllegalStateException(
                    setting.settingName() + ": cannot be changed once the pool " + poolName + " is started");
        }
        synchronized (this) {
            publish(config.toBuilder().set(setting, value).build());
        }
    }

    /** The value in force, in its public type. */
    @Nullable
    Object get(Setting setting) {
        return setting == Setting.POOL_NAME ? poolName : config.get(setting);
    }

    /** The configuration in force. */
    PoolConfig config() {
        return config;
    }

    // changeable while the pool runs

    int maximumPoolSize() {
        return maximumPoolSize;
    }

    int minimumPoolSize() {
        return minimumPoolSize;
    }

    int acquireIncrement() {
        return acquireIncrement;
    }

    int acquireRetries() {
        return acquireRetries;
    }

    long acquireRetryDelayNanos() {
        return acquireRetryDelayNanos;
    }

    long connectionTimeoutNanos() {
        return connectionTimeoutNanos;
    }

    long idleTimeoutNanos() {
        return idleTimeoutNanos;
    }

    long maxLifetimeNanos() {
        return maxLifetimeNanos;
    }

    long leakDetectionThresholdNanos() {
        return leakDetectionThresholdNanos;
    }

    // fixed

    int minimumIdle() {
        return minimumIdle;
    }

    int maximumWaiters() {
        return maximumWaiters;
    }

    long validationTimeoutNanos() {
        return validationTimeoutNanos;
    }

    long connectTimeoutNanos() {
        return connectTimeoutNanos;
    }

    long closeTimeoutNanos() {
        return closeTimeoutNanos;
    }

    long validateAfterIdleNanos() {
        return validateAfterIdleNanos;
    }

    long keepaliveTimeNanos() {
        return keepaliveTimeNanos;
    }

    long initializationFailTimeoutNanos() {
        return initializationFailTimeoutNanos;
    }

    boolean jdbc4ConnectionTest() {
        return jdbc4ConnectionTest;
    }

    boolean registerMbeans() {
        return initial.registerMbeans();
    }

    String poolName() {
        return poolName;
    }

    @Nullable
    String connectionTestQuery() {
        return connectionTestQuery;
    }

    @Nullable
    Boolean autoCommit() {
        return autoCommit;
    }

    @Nullable
    Boolean readOnly() {
        return readOnly;
    }

    @Nullable
    Integer transactionIsolation() {
        return transactionIsolation;
    }

    @Nullable
    String catalog() {
        return catalog;
    }

    @Nullable
    String schema() {
        return schema;
    }

    @Nullable
    String connectionInitSql() {
        return initial.connectionInitSql();
    }

    @Nullable
    String resetSql() {
        return resetSql;
    }

    @Nullable
    FailureClassifier failureClassifier() {
        return failureClassifier;
    }

    /** Keeps this password, which a CredentialsProvider gave, out of messages from now on. */
    void learnSecret(String secret) {
        if (!secret.isEmpty() && !learned.contains(secret)) {
            learned.add(secret);
            while (learned.size() > SECRETS) {
                learned.remove(0);
            }
        }
    }

    /** This text without the secrets of this pool: its passwords, and what is secret by name in URLs. */
    @Nullable
    String redact(@Nullable String text) {
        return text == null ? null : redacted(text);
    }

    String redacted(String text) {
        String clean = text;
        String password = initial.password();
        if (password != null) {
            clean = Redactor.redactSecret(clean, password);
        }
        for (String secret : learned) {
            clean = Redactor.redactSecret(clean, secret);
        }
        for (var property : initial.dataSourceProperties().entrySet()) {
            if (Redactor.isSecretName(property.getKey())) {
                clean = Redactor.redactSecret(clean, property.getValue().toString());
            }
        }
        return Redactor.redactUrl(clean);
    }
}

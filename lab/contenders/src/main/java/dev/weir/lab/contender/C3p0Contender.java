package dev.weir.lab.contender;

import com.mchange.v2.c3p0.ComboPooledDataSource;
import java.sql.SQLException;
import java.util.List;
import java.util.Set;

/** c3p0. Opening, testing and giving back are the work of its helper threads, 3 by default. */
final class C3p0Contender implements Contender {
    private static final String HELPERS = "helperThreads";

    @Override
    public String name() {
        return "c3p0";
    }

    @Override
    public Class<?> type() {
        return ComboPooledDataSource.class;
    }

    @Override
    public Terms terms(Profile profile) {
        return new Terms(profile == Profile.EQUAL ? Terms.ALWAYS : Terms.NEVER, Terms.NO_COUNTS);
    }

    @Override
    public List<String> limits(Profile profile) {
        return profile == Profile.EQUAL
                ? List.of(
                        "tests every connection that it lends: it knows no time of grace",
                        "catalog, schema, network timeout and client info are not reset",
                        "metadata that outlives its connection still works",
                        "closed statements and result sets still unwrap to the driver's")
                : List.of("connections are not tested before they are lent");
    }

    @Override
    public Set<String> parameters() {
        return Set.of(HELPERS);
    }

    /** Keeps it from complaining about logging before anything else. */
    @Override
    public List<String> jvmOptions() {
        return List.of("-Dcom.mchange.v2.log.MLog=jdk14");
    }

    @Override
    public PoolUnderTest open(PoolSpec spec) throws Exception {
        ComboPooledDataSource pool = new ComboPooledDataSource();
        pool.setJdbcUrl(spec.url());
        pool.setDriverClass(spec.driver());
        pool.setUser(spec.user());
        pool.setPassword(spec.password());
        pool.setInitialPoolSize(spec.minimum());
        pool.setMinPoolSize(spec.minimum());
        pool.setMaxPoolSize(spec.maximum());
        pool.setCheckoutTimeout(Math.toIntExact(spec.connectionTimeout().toMillis()));
        if (spec.retryDelay() != null) {
            pool.setAcquireRetryDelay(Math.toIntExact(spec.retryDelay().toMillis()));
        }
        if (spec.maxLifetime() != null) {
            pool.setMaxConnectionAge(Math.max(1, (int) spec.maxLifetime().toSeconds()));
        }
        String helpers = spec.parameters().get(HELPERS);
        if (helpers != null) {
            pool.setNumHelperThreads(helperThreads(helpers));
        }
        if (spec.idleTimeout() != null) {
            pool.setMaxIdleTime(Math.max(1, (int) spec.idleTimeout().toSeconds()));
        }
        if (spec.equal()) {
            pool.setTestConnectionOnCheckout(true);
            pool.setConnectionIsValidTimeout(spec.validationSeconds());
        }
        if (!spec.autoCommit()) {
            pool.setConnectionCustomizerClassName(C3p0ManualCommit.class.getName());
        }
        return PoolUnderTest.of(pool, () -> counts(pool), pool::close);
    }

    private static int helperThreads(String text) {
        try {
            int threads = Integer.parseInt(text);
            if (threads >= 1 && threads <= 1_000) {
                return threads;
            }
        } catch (NumberFormatException e) {
            // told below
        }
        throw new IllegalArgumentException("c3p0[" + HELPERS + "]: " + text + " (expected: 1..1000)");
    }

    private static Counts counts(ComboPooledDataSource pool) {
        try {
            return new Counts(
                    pool.getNumConnectionsDefaultUser(),
                    pool.getNumBusyConnectionsDefaultUser(),
                    pool.getNumIdleConnectionsDefaultUser(),
                    pool.getNumThreadsAwaitingCheckoutDefaultUser());
        } catch (SQLException e) {
            return Counts.UNKNOWN;
        }
    }
}

package dev.weir.lab.contender;

import java.util.List;
import java.util.Properties;
import java.util.concurrent.atomic.AtomicInteger;
import org.logicalcobwebs.proxool.ProxoolDataSource;
import org.logicalcobwebs.proxool.ProxoolException;
import org.logicalcobwebs.proxool.ProxoolFacade;
import org.logicalcobwebs.proxool.admin.SnapshotIF;

/** Proxool, of 2008. It makes its proxies by reaching into java.lang, which the JDK must be told to allow. */
final class ProxoolContender implements Contender {
    private static final AtomicInteger NUMBERS = new AtomicInteger();

    @Override
    public String name() {
        return "proxool";
    }

    @Override
    public Class<?> type() {
        return ProxoolDataSource.class;
    }

    @Override
    public Terms terms(Profile profile) {
        return new Terms(profile == Profile.EQUAL ? Terms.ALWAYS : Terms.NEVER, "loans, each");
    }

    @Override
    public List<String> limits(Profile profile) {
        return List.of(
                "runs only with " + jvmOptions().get(0),
                "never waits: fails at once when all connections are in use",
                "tests every connection that it lends, or none",
                "lends in auto-commit mode whatever is asked for: work is in no transaction unless the user begins one",
                "warnings are not cleared",
                "closed statements and result sets still unwrap to the driver's");
    }

    @Override
    public List<String> jvmOptions() {
        return List.of("--add-opens=java.base/java.lang=ALL-UNNAMED");
    }

    @Override
    public boolean agesInSeconds() {
        return false;
    }

    @Override
    public PoolUnderTest open(PoolSpec spec) throws ProxoolException {
        String alias = "weir-lab-" + NUMBERS.incrementAndGet();
        Properties properties = new Properties();
        properties.setProperty("proxool.minimum-connection-count", Integer.toString(spec.minimum()));
        properties.setProperty("proxool.maximum-connection-count", Integer.toString(spec.maximum()));
        properties.setProperty("proxool.prototype-count", "0");
        if (spec.maxLifetime() != null) {
            properties.setProperty(
                    "proxool.maximum-connection-lifetime",
                    Long.toString(spec.maxLifetime().toMillis()));
        }
        if (spec.user() != null) {
            properties.setProperty("user", spec.user());
        }
        if (spec.password() != null) {
            properties.setProperty("password", spec.password());
        }
        if (spec.equal()) {
            properties.setProperty("proxool.test-before-use", "true");
            properties.setProperty("proxool.house-keeping-test-sql", spec.testQuery());
        }
        ProxoolFacade.disableShutdownHook();
        ProxoolFacade.registerConnectionPool("proxool." + alias + ":" + spec.driver() + ":" + spec.url(), properties);
        return PoolUnderTest.of(
                new ProxoolDataSource(alias), () -> counts(alias), () -> ProxoolFacade.removeConnectionPool(alias, 0));
    }

    private static Counts counts(String alias) {
        try {
            SnapshotIF snapshot = ProxoolFacade.getSnapshot(alias);
            return new Counts(
                    (int) snapshot.getConnectionCount(),
                    snapshot.getActiveConnectionCount(),
                    snapshot.getAvailableConnectionCount(),
                    -1);
        } catch (ProxoolException e) {
            return Counts.UNKNOWN;
        }
    }
}

package dev.weir.testkit;

import dev.weir.testkit.Contract.Pool;
import dev.weir.testkit.Contract.Spec;
import dev.weir.testkit.ContractSuite.Check;
import java.security.Provider;
import java.security.Security;
import java.sql.Connection;
import java.sql.DriverManager;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TimeZone;
import java.util.TreeMap;
import javax.sql.DataSource;

/**
 * P9, as far as it can be seen from outside: a pool keeps its settings to itself. Its answer to a wrong value is a
 * matter of its own configuration, which no suite over any DataSource can ask for.
 */
final class HiddenChecks {

    private static final String P9 = "P9";

    private HiddenChecks() {}

    static void addTo(List<Check> all) {
        all.add(Check.alone(P9, "a pool changes nothing of the JVM", HiddenChecks::changesNothingOfTheJvm));
        all.add(new Check(P9, "two pools keep each to its own settings", HiddenChecks::twoPools));
    }

    /** The state that all code of a JVM shares and a pool might be tempted to set. */
    private static Map<String, String> ofTheJvm() {
        Map<String, String> state = new TreeMap<>();
        state.put("DriverManager's login timeout", DriverManager.getLoginTimeout() + " s");
        state.put("DriverManager's log writer", String.valueOf(DriverManager.getLogWriter()));
        state.put("default handler of uncaught exceptions", "" + Thread.getDefaultUncaughtExceptionHandler());
        state.put("default locale", Locale.getDefault().toString());
        state.put("default time zone", TimeZone.getDefault().getID());
        state.put(
                "security providers",
                Arrays.stream(Security.getProviders()).map(Provider::getName).toList() + "");
        System.getProperties()
                .stringPropertyNames()
                .forEach(name -> state.put("system property " + name, "" + System.getProperty(name)));
        return state;
    }

    /** The timeout is one that no other check has: a pool that sets it for the whole JVM may have done so already. */
    private static void changesNothingOfTheJvm(Scene scene) throws Throwable {
        int loginTimeout = DriverManager.getLoginTimeout();
        try {
            Map<String, String> before = ofTheJvm();
            Pool pool = scene.open(Spec.ofSize(2).withMinimum(1).withTimeout(Duration.ofSeconds(7)));
            DeadlineChecks.fill(pool.dataSource(), 2);
            pool.close();
            List<String> changed = changes(before, ofTheJvm());
            Scene.check(changed.isEmpty(), "changed: " + changed);
        } finally {
            DriverManager.setLoginTimeout(loginTimeout); // or a second run would find it set already
        }
    }

    private static List<String> changes(Map<String, String> before, Map<String, String> after) {
        Map<String, String> all = new TreeMap<>(before);
        all.putAll(after);
        return all.keySet().stream()
                .filter(name -> !after.getOrDefault(name, "not set").equals(before.getOrDefault(name, "not set")))
                .map(name -> name + ": " + before.getOrDefault(name, "not set") + " became "
                        + after.getOrDefault(name, "not set"))
                .toList();
    }

    private static void twoPools(Scene scene) throws Throwable {
        Duration brief = Duration.ofMillis(300);
        DataSource patient = scene.dataSource(Spec.ofSize(3).withTimeout(Scene.SOON));
        DeadlineChecks.fill(patient, 3);
        Pool hasty = scene.open(Spec.ofSize(1).withAutoCommit(false).withTimeout(brief));
        List<Connection> held = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            held.add(patient.getConnection());
        }
        Connection only = hasty.dataSource().getConnection();
        Scene.check(held.get(0).getAutoCommit() && !only.getAutoCommit(), "one has the other's auto-commit");
        Scene.Forked<Connection> waiter = scene.fork(patient::getConnection);
        Scene.refusedInTime(hasty.dataSource(), brief);
        hasty.close();
        boolean gaveUp = Await.becomesTrue(brief.multipliedBy(4), waiter::isDone);
        Scene.check(!gaveUp, "who has 10 s to wait was answered when the other pool's users were");
        held.get(0).close();
        Scene.query(waiter.get());
    }
}

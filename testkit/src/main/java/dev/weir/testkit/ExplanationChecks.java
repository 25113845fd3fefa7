package dev.weir.testkit;

import dev.weir.testkit.Contract.Pool;
import dev.weir.testkit.Contract.Spec;
import dev.weir.testkit.ContractSuite.Check;
import java.lang.reflect.Method;
import java.sql.Array;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLTransientException;
import java.time.Duration;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import javax.sql.DataSource;

/** P8: a failure explains itself; and what users expect of a data source beside the promises. */
final class ExplanationChecks {

    private static final String P8 = "P8";
    private static final String API = "API";
    private static final Duration SHORT = Duration.ofMillis(500);

    /** Threads of the platform, which any code may wake. */
    private static final List<String> PLATFORM_THREADS =
            List.of("ForkJoinPool", "Common-Cleaner", "process reaper", "weir-contract-", "surefire", "VirtualThread");

    private ExplanationChecks() {}

    static void addTo(List<Check> all) {
        all.add(new Check(P8, "a timeout has a SQLState and is transient", ExplanationChecks::timeoutHasState));
        all.add(new Check(P8, "a timeout tells the number in use", ExplanationChecks::timeoutTellsNumbers));
        all.add(new Check(P8, "a timeout has the last failure to open as cause", ExplanationChecks::timeoutHasCause));
        all.add(new Check(API, "getConnection with a user is of that user or refused", ExplanationChecks::otherUser));
        all.add(new Check(API, "a closed pool refuses at once", ExplanationChecks::closedRefuses));
        all.add(Check.alone(API, "a closed pool leaves no connection and no thread", ExplanationChecks::nothingLeft));
        addDrivers(all);
        all.add(new Check(API, "a connection in use at the close of the pool works until it is due", scene -> {
            inUseAtClose(scene);
        }));
    }

    /** The words and acts of the driver's own objects, which a pool in front of them should not hide. */
    private static void addDrivers(List<Check> all) {
        all.add(new Check(API, "toString of an open handle shows the driver's", ExplanationChecks::showsTheDrivers));
        all.add(new Check(API, "the driver's own value can be had by its type", ExplanationChecks::valueByType));
        all.add(new Check(API, "Statement.enquoteLiteral is the driver's", scene -> {
            Connection user = scene.dataSource(Spec.ofSize(1)).getConnection();
            String quoted = user.createStatement().enquoteLiteral("it's");
            Scene.check(quoted.equals(StubStatement.enquoted("it's")), "it's is quoted as " + quoted);
        }));
        all.add(new Check(API, "Connection.enquoteLiteral is the driver's", ExplanationChecks::enquoted));
    }

    private static void showsTheDrivers(Scene scene) throws Throwable {
        Connection user = scene.dataSource(Spec.ofSize(1)).getConnection();
        IdentityHashMap<Object, String> shown = new IdentityHashMap<>();
        shown.put(user.createArrayOf("integer", new Integer[] {1, 2, 3}), "{1,2,3}");
        shown.put(user.prepareStatement("SELECT 4711"), "SELECT 4711");
        shown.put(user.prepareCall("CALL x4711"), "CALL x4711");
        shown.forEach((object, text) ->
                Scene.check(object.toString().contains(text), "'" + object + "' does not show " + text));
    }

    /** A value that is no Wrapper comes as unwrap() would give it: by the type that the user names. */
    private static void valueByType(Scene scene) throws Throwable {
        Connection user = scene.dataSource(Spec.ofSize(1)).getConnection();
        ResultSet rows = user.createStatement().executeQuery("SELECT 1");
        rows.next();
        Scene.check(
                StubDatabase.isPhysical(rows.getObject(1, StubPhysical.class)),
                "getObject() by the driver's own type is not the driver's");
        Scene.check(
                !StubDatabase.isPhysical(rows.getObject(1, Array.class)), "getObject() by JDBC's type is the driver's");
    }

    private static void enquoted(Scene scene) throws Throwable {
        Connection user = scene.dataSource(Spec.ofSize(1)).getConnection();
        Scene.query(user);
        Method method;
        try {
            method = Connection.class.getMethod("enquoteLiteral", String.class);
        } catch (NoSuchMethodException e) {
            throw new Contract.Unsupported("JDBC 4.5, which this JDK has not");
        }
        Object quoted = method.invoke(user, "it's");
        Scene.check(StubStatement.enquoted("it's").equals(quoted), "it's is quoted as " + quoted);
    }

    private static SQLException timeout(Scene scene, int inUse) throws Exception {
        DataSource pool = scene.dataSource(Spec.ofSize(inUse).withTimeout(SHORT));
        for (int i = 0; i < inUse; i++) {
            pool.getConnection();
        }
        return Scene.refused(pool);
    }

    private static void timeoutHasState(Scene scene) throws Throwable {
        SQLException timeout = timeout(scene, 1);
        Scene.check(timeout.getSQLState() != null, "no SQLState: " + timeout);
        Scene.check(timeout instanceof SQLTransientException, "not a SQLTransientException: " + timeout);
    }

    private static void timeoutTellsNumbers(Scene scene) throws Throwable {
        SQLException timeout = timeout(scene, 3);
        String message = String.valueOf(timeout.getMessage());
        Scene.check(message.matches("(?s).*\\b3\\b.*"), "the 3 in use are not in: " + message);
    }

    private static void timeoutHasCause(Scene scene) throws Throwable {
        DataSource pool = scene.dataSource(Spec.ofSize(2).withTimeout(SHORT));
        scene.db().fail(StubDatabase.CONNECT, "08004");
        SQLException timeout = Scene.refused(pool);
        Scene.check(Scene.hasState(timeout, "08004"), "the failure to open is not among the causes of " + timeout);
    }

    private static void otherUser(Scene scene) throws Throwable {
        DataSource pool = scene.dataSource(Spec.ofSize(2));
        pool.getConnection().close();
        try (Connection connection = pool.getConnection("another", "secret")) {
            String user = scene.sessionOf(connection).user();
            Scene.check(user.equals("another"), "getConnection(\"another\", ...) is a connection of '" + user + "'");
        } catch (SQLException | UnsupportedOperationException refused) {
            // Honest: nobody gets a connection of somebody else.
            return;
        }
    }

    private static void closedRefuses(Scene scene) throws Throwable {
        Pool pool = scene.open(Spec.ofSize(1));
        pool.dataSource().getConnection().close();
        pool.close();
        pool.close();
        Scene.refusedInTime(pool.dataSource(), Duration.ZERO);
    }

    private static void nothingLeft(Scene scene) throws Throwable {
        Set<Thread> before = Thread.getAllStackTraces().keySet();
        Pool pool = scene.open(Spec.ofSize(4).withMinimum(2));
        DeadlineChecks.fill(pool.dataSource(), 4);
        pool.close();
        Await.await("all connections are closed", Scene.SETTLE, () -> scene.db().openNow() == 0);
        Await.await(
                () -> "no thread is left: " + startedSince(before),
                Duration.ofSeconds(4),
                () -> startedSince(before).isEmpty());
    }

    static List<String> startedSince(Set<Thread> before) {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.isAlive() && !before.contains(thread))
                .map(Thread::getName)
                .filter(name -> PLATFORM_THREADS.stream().noneMatch(name::startsWith))
                .collect(Collectors.toList());
    }

    private static void inUseAtClose(Scene scene) throws Throwable {
        Pool pool = scene.open(Spec.ofSize(1));
        Connection user = pool.dataSource().getConnection();
        user.setAutoCommit(false);
        Scene.execute(user, "INSERT x");
        Scene.Forked<Boolean> closing = scene.spawn(() -> {
            pool.close();
        });
        Await.becomesTrue(Duration.ofMillis(200), closing::isDone);
        user.commit();
        user.close();
        closing.get();
        Scene.check(
                scene.db().committed().equals(List.of("INSERT x")),
                "committed: " + scene.db().committed());
        Scene.check(scene.db().openNow() == 0, scene.db().openNow() + " connections are left");
    }
}

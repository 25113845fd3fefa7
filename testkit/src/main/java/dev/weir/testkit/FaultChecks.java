package dev.weir.testkit;

import dev.weir.testkit.Contract.Spec;
import dev.weir.testkit.ContractSuite.Check;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import javax.sql.DataSource;

/** P11: a user's fault is his own. No other user sees, waits for or pays what one does or meets. */
final class FaultChecks {

    private static final String P11 = "P11";
    private static final Duration SHORT = Duration.ofMillis(300);
    private static final int MEGABYTE = 1 << 20;
    private static final String SECRET = "geheim4711";

    /** A user, with what he does. */
    @FunctionalInterface
    private interface Act {
        void on(Connection connection) throws SQLException;
    }

    private FaultChecks() {}

    static void addTo(List<Check> all) {
        calls().forEach((call, act) -> all.add(new Check(P11, "not lent again after an Error of " + call, scene -> {
            notLentAfterError(scene, call, act);
        })));
        longTexts()
                .forEach((name, text) -> all.add(new Check(
                        P11, "1 MB of SQL costs another user no time: " + name, scene -> longText(scene, text))));
        // The secret is in no name: the check's thread has it, and who holds a connection is told by his thread.
        literals()
                .forEach((name, sql) -> all.add(
                        new Check(P11, "not in another user's timeout: " + name, scene -> literal(scene, sql))));
        all.add(new Check(P11, "no secret in a failure to open or its causes", FaultChecks::secretInCause));
        for (String state : List.of("08001", "08003", "08006", "57P01")) {
            all.add(new Check(
                    P11,
                    "raised by SQL on a healthy connection, costs none: " + state,
                    StubDatabase.Likeness.POSTGRESQL,
                    scene -> raisedBySql(scene, state)));
        }
    }

    // ---- errors

    private static Map<String, Act> calls() {
        Map<String, Act> calls = new LinkedHashMap<>();
        calls.put("Connection.createStatement", Connection::createStatement);
        calls.put("Connection.prepareStatement", c -> c.prepareStatement("SELECT 1"));
        calls.put("Connection.setSchema", c -> c.setSchema("another"));
        calls.put("Connection.setAutoCommit", c -> c.setAutoCommit(false));
        calls.put("Connection.getMetaData", Connection::getMetaData);
        calls.put("Connection.nativeSQL", c -> c.nativeSQL("SELECT 1"));
        calls.put("Connection.isValid", c -> c.isValid(1));
        calls.put("Connection.commit", c -> {
            c.setAutoCommit(false);
            Scene.execute(c, "SELECT 1");
            c.commit();
        });
        calls.put("Connection.rollback", c -> {
            c.setAutoCommit(false);
            Scene.execute(c, "SELECT 1");
            c.rollback();
        });
        calls.put("Statement.execute", c -> c.createStatement().execute("SELECT 1"));
        calls.put("Statement.setFetchSize", c -> c.createStatement().setFetchSize(7));
        calls.put("Statement.close", c -> c.createStatement().close());
        calls.put(
                "PreparedStatement.executeQuery",
                c -> c.prepareStatement("SELECT 1").executeQuery());
        calls.put(
                "PreparedStatement.setInt", c -> c.prepareStatement("SELECT 1").setInt(1, 1));
        calls.put("CallableStatement.execute", c -> c.prepareCall("CALL x").execute());
        calls.put("ResultSet.next", Scene::query);
        calls.put("ResultSet.getInt", c -> {
            Statement statement = c.createStatement();
            var rows = statement.executeQuery("SELECT 1");
            rows.next();
            rows.getInt(1);
        });
        calls.put("DatabaseMetaData.getTables", c -> c.getMetaData().getTables(null, null, null, null));
        calls.put("Blob.length", c -> c.createBlob().length());
        return calls;
    }

    private static void notLentAfterError(Scene scene, String call, Act act) throws Throwable {
        // The next user of a pool that inherits does not change how it is declared.
        String declared = call.equals("CallableStatement.execute") ? "PreparedStatement.execute" : call;
        DataSource pool = scene.dataSource(Spec.ofSize(1));
        for (Map.Entry<String, Supplier<Throwable>> kind : Failings.errors().entrySet()) {
            Connection user = pool.getConnection();
            StubSession session = scene.sessionOf(user);
            Fault fault = scene.db().failNext(declared, 1, kind.getValue());
            Scene.quietly(() -> act.on(user));
            fault.release();
            Scene.check(fault.hits() == 1, "the call did not reach the driver");
            Scene.closeQuietly(user);
            Connection next = pool.getConnection();
            Scene.check(scene.sessionOf(next) != session, "lent again after " + kind.getKey());
            Scene.query(next);
            next.close();
            Await.await("the connection of an Error is closed", Scene.SETTLE, session::isClosed);
        }
    }

    // ---- SQL of another user

    private static Map<String, String> longTexts() {
        Map<String, String> texts = new LinkedHashMap<>();
        texts.put("digits", "SELECT '\\x" + "ab".repeat(MEGABYTE / 2) + "'");
        texts.put("a quote that is not closed", "SELECT '" + "a".repeat(MEGABYTE));
        texts.put("quotes", "SELECT " + "'a',".repeat(MEGABYTE / 4) + "1");
        texts.put("words", "SELECT " + "password ".repeat(MEGABYTE / 9) + "=1");
        texts.put("one word", "SELECT " + "password_".repeat(MEGABYTE / 9));
        texts.put("blanks", "SELECT" + " ".repeat(MEGABYTE) + "1");
        texts.put("comments", "SELECT " + "/*".repeat(MEGABYTE / 2));
        texts.put("dollars", "SELECT " + "$a".repeat(MEGABYTE / 2));
        texts.put("backslashes", "SELECT E'" + "\\".repeat(MEGABYTE));
        texts.put("slashes and colons", "SELECT " + "//a:".repeat(MEGABYTE / 4));
        return texts;
    }

    private static Map<String, String> literals() {
        Map<String, String> literals = new LinkedHashMap<>();
        literals.put("a password", "ALTER USER shop PASSWORD '" + SECRET + "'");
        literals.put("a key", "SELECT * FROM customer WHERE iban = '" + SECRET + "'");
        literals.put("text in dollars", "INSERT INTO note VALUES ($$" + SECRET + "$$)");
        literals.put("text with a quote", "INSERT INTO note VALUES ('it''s " + SECRET + "')");
        literals.put("text with an escaped quote", "INSERT INTO note VALUES (E'\\'" + SECRET + "')");
        literals.put("a comment", "SELECT 4711 /* " + SECRET + " */");
        return literals;
    }

    private static void longText(Scene scene, String text) throws Throwable {
        DataSource pool = scene.dataSource(Spec.ofSize(1).withTimeout(SHORT));
        Connection user = pool.getConnection();
        Scene.query(user);
        Scene.refused(pool);
        Statement statement = user.createStatement();
        statement.execute(text);
        SQLException refusal = Scene.refusedInTime(pool, SHORT);
        Scene.check(
                String.valueOf(refusal.getMessage()).length() < 10_000,
                "the timeout tells " + String.valueOf(refusal.getMessage()).length() + " characters");
        user.close();
        Scene.query(pool.getConnection());
    }

    private static void literal(Scene scene, String sql) throws Throwable {
        DataSource pool = scene.dataSource(Spec.ofSize(1).withTimeout(SHORT));
        Connection user = pool.getConnection();
        Scene.execute(user, sql);
        String seen = allOf(Scene.refused(pool));
        Scene.check(!seen.contains(SECRET), "another user reads: " + lineWith(seen, SECRET));
        Scene.check(scene.sessionOf(user).isOpen(), "the user's connection is closed");
    }

    private static void secretInCause(Scene scene) throws Throwable {
        DataSource pool = scene.dataSource(Spec.ofSize(1).withTimeout(SHORT));
        scene.db().fail(StubDatabase.CONNECT, () -> {
            SQLException failure = new SQLException(
                    "cannot connect to jdbc:weir-stub:1?user=shop&password=" + SECRET,
                    "08001",
                    new IllegalStateException("properties: {user=shop, password=" + SECRET + "}"));
            failure.setNextException(new SQLException("//shop:" + SECRET + "@localhost/ does not answer", "08001"));
            failure.addSuppressed(new IllegalStateException("password=" + SECRET));
            return failure;
        });
        SQLException refusal = Scene.refused(pool);
        String seen = allOf(refusal);
        Scene.check(!seen.contains(SECRET), "the user reads: " + lineWith(seen, SECRET));
        Scene.check(Scene.hasState(refusal, "08001"), "the failure to open is not among the causes of " + refusal);
    }

    /** All that whoever logs a failure writes: the stacks of its causes, and the failures after it. */
    private static String allOf(SQLException failure) {
        StringWriter text = new StringWriter();
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof SQLException sql) {
                sql.forEach(next -> next.printStackTrace(new PrintWriter(text, true)));
            }
        }
        return text.toString();
    }

    private static String lineWith(String text, String word) {
        return text.lines().filter(line -> line.contains(word)).findFirst().orElse("");
    }

    // ---- failures of SQL

    /** A server that ends a session says FATAL; what a function raises, or another server said, is an ERROR. */
    private static void raisedBySql(Scene scene, String state) throws Throwable {
        DataSource pool = scene.dataSource(Spec.ofSize(3));
        DeadlineChecks.fill(pool, 3);
        int opened = scene.db().opened();
        for (int i = 0; i < 3; i++) {
            Connection user = pool.getConnection();
            Scene.quietly(() -> Scene.execute(user, "RAISE " + state));
            Scene.query(user);
            user.close();
        }
        DeadlineChecks.fill(pool, 3);
        Scene.check(scene.db().closed() == 0, scene.db().closed() + " healthy connections were closed");
        Scene.check(scene.db().opened() == opened, "opened " + (scene.db().opened() - opened) + " connections more");
    }
}

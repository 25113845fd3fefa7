package dev.weir.testkit;

import dev.weir.testkit.Contract.Spec;
import dev.weir.testkit.ContractSuite.Check;
import java.lang.ref.Reference;
import java.sql.CallableStatement;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.function.Supplier;
import javax.sql.DataSource;

/** P2: the next user finds nothing of the one before. */
final class ReturnChecks {

    private static final String P2 = "P2";

    private ReturnChecks() {}

    /** Something a user does with a connection and leaves behind. */
    @FunctionalInterface
    interface Act {
        void on(Connection connection) throws SQLException;
    }

    static void addTo(List<Check> all) {
        works().forEach((name, work) -> {
            all.add(new Check(P2, "rolled back: " + name, scene -> rolledBack(scene, false, work)));
            all.add(new Check(P2, "rolled back after setAutoCommit(false): " + name, scene -> {
                rolledBack(scene, true, connection -> {
                    connection.setAutoCommit(false);
                    work.on(connection);
                });
            }));
        });
        all.add(new Check(P2, "rolled back: all through the unwrapped connection", scene -> {
            rolledBack(scene, true, connection -> {
                Connection physical = physical(connection);
                physical.setAutoCommit(false);
                Scene.execute(physical, "INSERT x");
            });
        }));
        addTextTransactions(all);
        all.add(new Check(P2, "committed work stays committed", ReturnChecks::committedStays));
        changes().forEach((property, change) -> {
            all.add(new Check(P2, "reset: " + property, scene -> reset(scene, change)));
            all.add(new Check(P2, "reset after unwrap: " + property, scene -> {
                reset(scene, connection -> change.on(physical(connection)));
            }));
            all.add(new Check(P2, "reset in an open transaction: " + property, scene -> {
                reset(scene, connection -> {
                    connection.setAutoCommit(false);
                    change.on(connection);
                    Scene.execute(connection, "SELECT 1");
                });
            }));
            all.add(new Check(P2, "closed if the reset fails: " + property, scene -> {
                closedIfCleaningFails(scene, setterOf(property), ReturnChecks::sqlFailure, change);
            }));
        });
        addFailedRollbacks(all);
        all.add(new Check(P2, "no warnings", ReturnChecks::warnings));
        all.add(new Check(P2, "no open statements", ReturnChecks::statements));
    }

    private static void addTextTransactions(List<Check> all) {
        Act begin = connection -> {
            Scene.execute(connection, "BEGIN");
            Scene.execute(connection, "INSERT x");
        };
        StubDatabase.Likeness postgres = StubDatabase.Likeness.POSTGRESQL;
        all.add(new Check(P2, "rolled back: BEGIN as text", postgres, scene -> rolledBack(scene, true, begin)));
        all.add(new Check(P2, "rolled back: BEGIN through the unwrapped connection", postgres, scene -> {
            rolledBack(scene, true, connection -> begin.on(physical(connection)));
        }));
        all.add(new Check(P2, "rolled back: a failed transaction", postgres, scene -> {
            rolledBack(scene, false, connection -> {
                Scene.execute(connection, "INSERT x");
                Scene.closeQuietly(() -> Scene.execute(connection, "FAIL 42601"));
            });
        }));
    }

    private static void addFailedRollbacks(List<Check> all) {
        Map<String, Supplier<Throwable>> failures = new LinkedHashMap<>();
        failures.put("SQLException", ReturnChecks::sqlFailure);
        failures.put("RuntimeException", () -> new IllegalStateException("as asked"));
        failures.put("Error", () -> new StackOverflowError("as asked"));
        failures.forEach((kind, failure) -> {
            all.add(new Check(P2, "closed if the rollback fails: " + kind, scene -> {
                closedIfCleaningFails(scene, "Connection.rollback", failure, connection -> {
                    connection.setAutoCommit(false);
                    Scene.execute(connection, "INSERT x");
                });
            }));
        });
    }

    private static Throwable sqlFailure() {
        return new SQLException("as asked", "XX000");
    }

    // ---- work not committed

    private static Map<String, Act> works() {
        Map<String, Act> works = new LinkedHashMap<>();
        works.put("Statement.execute", c -> statement(c).execute("INSERT x"));
        works.put("Statement.executeUpdate", c -> statement(c).executeUpdate("INSERT x"));
        works.put("Statement.executeLargeUpdate", c -> statement(c).executeLargeUpdate("INSERT x"));
        works.put("Statement.executeBatch", c -> batched(c).executeBatch());
        works.put("Statement.executeLargeBatch", c -> batched(c).executeLargeBatch());
        works.put("PreparedStatement.execute", c -> prepared(c).execute());
        works.put("PreparedStatement.executeUpdate", c -> prepared(c).executeUpdate());
        works.put("PreparedStatement.executeLargeUpdate", c -> prepared(c).executeLargeUpdate());
        works.put("PreparedStatement.executeBatch", c -> preparedBatch(c).executeBatch());
        works.put("PreparedStatement.executeLargeBatch", c -> preparedBatch(c).executeLargeBatch());
        works.put("CallableStatement.execute", c -> called(c).execute());
        works.put("CallableStatement.executeLargeUpdate", c -> called(c).executeLargeUpdate());
        works.put("ResultSet.insertRow", ReturnChecks::insertRow);
        works.put("unwrapped connection", c -> Scene.execute(physical(c), "INSERT x"));
        works.put("unwrapped statement", c -> unwrapped(statement(c)).executeUpdate("INSERT x"));
        return works;
    }

    private static Statement statement(Connection connection) throws SQLException {
        return connection.createStatement();
    }

    private static Statement batched(Connection connection) throws SQLException {
        Statement statement = connection.createStatement();
        statement.addBatch("INSERT x");
        statement.addBatch("INSERT y");
        return statement;
    }

    private static PreparedStatement prepared(Connection connection) throws SQLException {
        return connection.prepareStatement("INSERT x");
    }

    private static PreparedStatement preparedBatch(Connection connection) throws SQLException {
        PreparedStatement statement = prepared(connection);
        statement.setInt(1, 1);
        statement.addBatch();
        return statement;
    }

    private static CallableStatement called(Connection connection) throws SQLException {
        return connection.prepareCall("CALL x");
    }

    private static void insertRow(Connection connection) throws SQLException {
        ResultSet result = connection
                .createStatement(ResultSet.TYPE_FORWARD_ONLY, ResultSet.CONCUR_UPDATABLE)
                .executeQuery("SELECT 1");
        result.moveToInsertRow();
        result.updateInt(1, 2);
        result.insertRow();
    }

    /** The physical connection, by way of the interface that only the vendor's objects have. */
    static Connection physical(Connection handle) throws SQLException {
        return unwrap(handle).session().connection();
    }

    private static Statement unwrapped(Statement handle) throws SQLException {
        return (Statement) unwrap(handle);
    }

    private static StubPhysical unwrap(java.sql.Wrapper handle) throws SQLException {
        if (!handle.isWrapperFor(StubPhysical.class)) {
            throw new Contract.Unsupported("this pool does not unwrap to the driver's interfaces");
        }
        return handle.unwrap(StubPhysical.class);
    }

    private static void rolledBack(Scene scene, boolean autoCommit, Act work) throws Throwable {
        DataSource pool = scene.dataSource(Spec.ofSize(1).withAutoCommit(autoCommit));
        Connection user = pool.getConnection();
        StubSession session = scene.sessionOf(user);
        work.on(user);
        Scene.check(!session.uncommitted().isEmpty(), "the work did not happen in a transaction");
        user.close();
        Scene.check(
                scene.db().committed().isEmpty(),
                "close() committed " + scene.db().committed());
        Connection next = pool.getConnection();
        StubSession ofNext = scene.sessionOf(next);
        Scene.check(
                ofNext.transaction() == StubSession.Transaction.NONE,
                "the next user is in a transaction with " + ofNext.uncommitted());
        next.setAutoCommit(false);
        Scene.execute(next, "SELECT 1");
        next.commit();
        next.close();
        Scene.check(
                scene.db().committed().isEmpty(),
                "the next user committed " + scene.db().committed());
        Scene.check(session.uncommitted().isEmpty(), "the work is still open");
    }

    private static void committedStays(Scene scene) throws Throwable {
        DataSource pool = scene.dataSource(Spec.ofSize(1).withAutoCommit(false));
        Connection user = pool.getConnection();
        Scene.execute(user, "INSERT x");
        user.commit();
        user.close();
        Scene.check(
                scene.db().committed().equals(List.of("INSERT x")),
                "committed: " + scene.db().committed());
    }

    // ---- properties

    static Map<String, Act> changes() {
        Map<String, Act> changes = new LinkedHashMap<>();
        changes.put("autoCommit", c -> c.setAutoCommit(false));
        changes.put("readOnly", c -> c.setReadOnly(true));
        changes.put("transactionIsolation", c -> c.setTransactionIsolation(Connection.TRANSACTION_SERIALIZABLE));
        changes.put("catalog", c -> c.setCatalog("another"));
        changes.put("schema", c -> c.setSchema("another"));
        changes.put("holdability", c -> c.setHoldability(ResultSet.HOLD_CURSORS_OVER_COMMIT));
        changes.put("networkTimeout", c -> c.setNetworkTimeout(Runnable::run, 77_000));
        changes.put("typeMap", c -> c.setTypeMap(Map.of("thing", String.class)));
        changes.put("clientInfo", c -> c.setClientInfo("ApplicationName", "another"));
        changes.put("clientInfo at once", c -> {
            Properties properties = new Properties();
            properties.setProperty("ClientUser", "another");
            c.setClientInfo(properties);
        });
        return changes;
    }

    static String setterOf(String property) {
        String name = property.split(" ", 2)[0];
        return "Connection.set" + Character.toUpperCase(name.charAt(0)) + name.substring(1);
    }

    /** The state of a session that JDBC lets a user change. */
    private record State(
            boolean autoCommit,
            boolean readOnly,
            int isolation,
            String catalog,
            String schema,
            int holdability,
            int networkTimeoutMillis,
            Map<String, Class<?>> typeMap,
            Properties clientInfo) {

        static State of(StubSession session) {
            return new State(
                    session.autoCommit(),
                    session.readOnly(),
                    session.isolation(),
                    String.valueOf(session.catalog()),
                    String.valueOf(session.schema()),
                    session.holdability(),
                    session.networkTimeout(),
                    session.typeMap(),
                    session.clientInfo());
        }
    }

    static void reset(Scene scene, Act change) throws Throwable {
        DataSource pool = scene.dataSource(Spec.ofSize(1));
        Connection user = pool.getConnection();
        State first = State.of(scene.sessionOf(user));
        change.on(user);
        user.close();
        nextFinds(scene, pool, first);
    }

    private static void nextFinds(Scene scene, DataSource pool, State first) throws SQLException {
        Connection next = pool.getConnection();
        StubSession session = scene.sessionOf(next);
        State found = State.of(session);
        Scene.check(found.equals(first), "the next user finds " + found + ", the first found " + first);
        Scene.check(session.transaction() == StubSession.Transaction.NONE, "the next user is in a transaction");
        Scene.check(
                next.getAutoCommit() == first.autoCommit && next.isReadOnly() == first.readOnly,
                "the handle tells another state than its connection has");
        next.close();
    }

    private static void closedIfCleaningFails(Scene scene, String method, Supplier<Throwable> failure, Act leave)
            throws Throwable {
        DataSource pool = scene.dataSource(Spec.ofSize(1));
        Connection user = pool.getConnection();
        StubSession session = scene.sessionOf(user);
        State first = State.of(session);
        leave.on(user);
        Fault fault = scene.db().fail(method, failure);
        Scene.closeQuietly(user);
        fault.release();
        if (fault.hits() > 0) {
            Await.await("the connection that cannot be cleaned is closed", Scene.SETTLE, session::isClosed);
        }
        nextFinds(scene, pool, first);
        Scene.check(scene.db().committed().isEmpty(), "committed: " + scene.db().committed());
    }

    // ---- warnings and statements

    private static void warnings(Scene scene) throws Throwable {
        DataSource pool = scene.dataSource(Spec.ofSize(1));
        Connection user = pool.getConnection();
        Scene.execute(user, "WARN me");
        Scene.check(user.getWarnings() != null, "the warning does not reach the user");
        user.close();
        Connection next = pool.getConnection();
        Scene.check(next.getWarnings() == null, "the next user finds a warning");
    }

    private static void statements(Scene scene) throws Throwable {
        DataSource pool = scene.dataSource(Spec.ofSize(1));
        Connection user = pool.getConnection();
        StubSession session = scene.sessionOf(user);
        Statement closedByUser = user.createStatement();
        closedByUser.close();
        Statement queried = statement(user);
        queried.executeQuery("SELECT 1");
        List<Statement> open = List.of(queried, prepared(user), called(user), batched(user));
        // DBCP2 closes a statement that the garbage collector took only later; the check must not depend on that
        // moment.
        try {
            Scene.check(session.openStatements() == 4, session.openStatements() + " open statements instead of 4");
            user.close();
        } finally {
            Reference.reachabilityFence(open);
        }
        pool.getConnection();
        Scene.check(session.openStatements() == 0, session.openStatements() + " statements of the last user are open");
    }
}

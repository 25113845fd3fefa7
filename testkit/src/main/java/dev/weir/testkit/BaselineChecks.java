package dev.weir.testkit;

import dev.weir.testkit.Contract.Spec;
import dev.weir.testkit.ContractSuite.Check;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;

/** P2, where a transaction hides what the state of a connection really is, and where something lives longer than it. */
final class BaselineChecks {

    private static final String P2 = "P2";

    private BaselineChecks() {}

    /** The act of a user, by itself, in a transaction that also changes settings. */
    @FunctionalInterface
    private interface Act {
        void on(Scene scene, Connection connection) throws SQLException;
    }

    static void addTo(List<Check> all) {
        for (StubDatabase.Likeness likeness : StubDatabase.Likeness.values()) {
            String on = likeness == StubDatabase.Likeness.GENERIC ? "" : " (PostgreSQL)";
            acts().forEach((name, act) ->
                    all.add(new Check(P2, "reset: " + name + on, likeness, scene -> reset(scene, act, true))));
        }
        acts().forEach((name, act) -> all.add(new Check(
                P2,
                "reset: BEGIN as text, " + name,
                StubDatabase.Likeness.POSTGRESQL,
                scene -> reset(scene, act, false))));
        all.add(new Check(P2, "large objects made by a user are freed", BaselineChecks::largeObjects));
        all.add(new Check(P2, "no savepoint", BaselineChecks::savepoint));
        all.add(new Check(P2, "rolled back: a cursor that is read after the commit", BaselineChecks::heldCursor));
    }

    private static Map<String, Act> acts() {
        Map<String, Act> acts = new LinkedHashMap<>();
        acts.put("SET LOCAL, the setter, rollback", (scene, c) -> {
            Scene.execute(c, "SET LOCAL search_path TO tenant");
            c.setSchema("mine");
            end(c, false);
        });
        acts.put("SET LOCAL, unwrap, commit", (scene, c) -> {
            Scene.execute(c, "SET LOCAL search_path TO tenant");
            StubDatabase.isPhysical(ReturnChecks.physical(c));
            end(c, true);
        });
        acts.put("SET LOCAL, a refused setter, commit", (scene, c) -> {
            Scene.execute(c, "SET LOCAL search_path TO tenant");
            Fault refusal = scene.db().fail("Connection.setSchema", "XX000");
            Scene.closeQuietly(() -> c.setSchema("mine"));
            refusal.release();
            end(c, true);
        });
        acts.put("SET, the setter, rollback", (scene, c) -> {
            Scene.execute(c, "SET search_path TO tenant");
            c.setSchema("mine");
            end(c, false);
        });
        acts.put("SET, unwrap, rollback", (scene, c) -> {
            Scene.execute(c, "SET search_path TO tenant");
            StubDatabase.isPhysical(ReturnChecks.physical(c));
            end(c, false);
        });
        acts.put("SET TRANSACTION, unwrap, commit", (scene, c) -> {
            Scene.execute(c, "SET TRANSACTION ISOLATION LEVEL SERIALIZABLE");
            StubDatabase.isPhysical(ReturnChecks.physical(c));
            end(c, true);
        });
        acts.put("SET TRANSACTION, a refused setter, commit", (scene, c) -> {
            Scene.execute(c, "SET TRANSACTION ISOLATION LEVEL SERIALIZABLE");
            Scene.closeQuietly(() -> c.setTransactionIsolation(Connection.TRANSACTION_SERIALIZABLE));
            end(c, true);
        });
        return acts;
    }

    private static void end(Connection connection, boolean commit) throws SQLException {
        if (connection.getAutoCommit()) {
            Scene.execute(connection, commit ? "COMMIT" : "ROLLBACK");
        } else if (commit) {
            connection.commit();
        } else {
            connection.rollback();
        }
    }

    private static void reset(Scene scene, Act act, boolean byJdbc) throws Throwable {
        ReturnChecks.reset(scene, connection -> {
            if (byJdbc) {
                connection.setAutoCommit(false);
            } else {
                Scene.execute(connection, "BEGIN");
            }
            act.on(scene, connection);
        });
    }

    private static void largeObjects(Scene scene) throws Throwable {
        DataSource pool = scene.dataSource(Spec.ofSize(1));
        Connection user = pool.getConnection();
        StubSession session = scene.sessionOf(user);
        user.createBlob();
        user.createClob();
        user.createNClob();
        user.createSQLXML();
        Scene.check(session.openLobs() == 4, session.openLobs() + " large objects instead of 4");
        user.close();
        Scene.query(pool.getConnection());
        Scene.check(session.openLobs() == 0, session.openLobs() + " large objects of the last user are there");
    }

    private static void savepoint(Scene scene) throws Throwable {
        DataSource pool = scene.dataSource(Spec.ofSize(1).withAutoCommit(false));
        Connection user = pool.getConnection();
        StubSession session = scene.sessionOf(user);
        user.setSavepoint();
        Scene.check(session.savepoints() == 1, session.savepoints() + " savepoints instead of 1");
        user.close();
        findsNoTransaction(scene, pool);
        Scene.check(session.savepoints() == 0, session.savepoints() + " savepoints of the last user are there");
    }

    private static void heldCursor(Scene scene) throws Throwable {
        DataSource pool = scene.dataSource(Spec.ofSize(1).withAutoCommit(false));
        Connection user = pool.getConnection();
        StubSession session = scene.sessionOf(user);
        ResultSet rows = user.createStatement(
                        ResultSet.TYPE_FORWARD_ONLY, ResultSet.CONCUR_READ_ONLY, ResultSet.HOLD_CURSORS_OVER_COMMIT)
                .executeQuery("SELECT 1");
        user.commit();
        Scene.check(rows.next(), "a held cursor has no row");
        Scene.check(session.transaction() == StubSession.Transaction.OPEN, "to read it begins no transaction");
        user.close();
        findsNoTransaction(scene, pool);
    }

    private static void findsNoTransaction(Scene scene, DataSource pool) throws SQLException {
        Connection next = pool.getConnection();
        StubSession.Transaction found = scene.sessionOf(next).transaction();
        Scene.check(found == StubSession.Transaction.NONE, "the next user finds a transaction: " + found);
        next.close();
    }
}

package dev.weir.testkit;

import dev.weir.testkit.Contract.Spec;
import dev.weir.testkit.ContractSuite.Check;
import java.io.Closeable;
import java.io.Flushable;
import java.io.OutputStream;
import java.io.Writer;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.CharBuffer;
import java.sql.Array;
import java.sql.CallableStatement;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLClientInfoException;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Executor;
import javax.sql.DataSource;
import javax.xml.transform.Result;
import javax.xml.transform.Source;
import org.jspecify.annotations.Nullable;
import org.xml.sax.InputSource;

/** P3: a closed handle is dead, and nothing reached from a live one is the physical object. */
final class DeadHandleChecks {

    private static final String P3 = "P3";

    /** The methods that the specification lets a closed object answer, or that need no connection. */
    private static final Set<String> MAY_ANSWER = Set.of(
            "close",
            "isClosed",
            "abort",
            "isValid",
            "isWrapperFor",
            "free",
            "beginRequest",
            "endRequest",
            "enquoteLiteral",
            "enquoteIdentifier",
            "enquoteNCharLiteral",
            "isSimpleIdentifier",
            "getBaseType",
            "getBaseTypeName");

    private DeadHandleChecks() {}

    /** Something a user gets from a live connection and keeps. */
    @FunctionalInterface
    private interface Taking {
        Object from(Connection connection) throws SQLException;
    }

    static void addTo(List<Check> all) {
        dies(all, "Connection", Connection.class, connection -> connection);
        dies(all, "Statement", Statement.class, Connection::createStatement);
        dies(all, "PreparedStatement", PreparedStatement.class, c -> c.prepareStatement("SELECT 1"));
        dies(all, "CallableStatement", CallableStatement.class, c -> c.prepareCall("CALL x"));
        dies(all, "ResultSet", ResultSet.class, DeadHandleChecks::rows);
        dies(all, "DatabaseMetaData", DatabaseMetaData.class, Connection::getMetaData);
        dies(all, "Array", Array.class, c -> rows(c).getArray(1));
        dies(all, "generated keys", ResultSet.class, DeadHandleChecks::generatedKeys);
        dies(all, "metadata's ResultSet", ResultSet.class, c -> c.getMetaData().getTables(null, null, null, null));
        dies(all, "Array's ResultSet", ResultSet.class, c -> rows(c).getArray(1).getResultSet());
        all.add(new Check(P3, "setClientInfo after close throws as declared", DeadHandleChecks::clientInfo));
        all.add(new Check(P3, "closed handle is closed and not valid", DeadHandleChecks::closedIsClosed));
        all.add(new Check(P3, "unwrap only while the handle lives", DeadHandleChecks::unwrapAfterClose));
        escapes(all, "Statement.getConnection", c -> c.createStatement().getConnection());
        escapes(
                all,
                "PreparedStatement.getConnection",
                c -> c.prepareStatement("SELECT 1").getConnection());
        escapes(
                all,
                "CallableStatement.getConnection",
                c -> c.prepareCall("CALL x").getConnection());
        escapes(all, "DatabaseMetaData.getConnection", c -> c.getMetaData().getConnection());
        escapes(all, "ResultSet.getStatement", c -> rows(c).getStatement());
        escapes(all, "generated keys' getStatement", c -> generatedKeys(c).getStatement());
        all.add(new Check(P3, "no way to a physical object", DeadHandleChecks::crawl));
        all.add(new Check(P3, "everything reached dies with its connection", DeadHandleChecks::everythingReachedDies));
        all.add(new Check(P3, "a stream closed late writes nothing", DeadHandleChecks::lateStreams));
    }

    private static ResultSet rows(Connection connection) throws SQLException {
        ResultSet rows = connection.createStatement().executeQuery("SELECT 1");
        rows.next();
        return rows;
    }

    private static ResultSet generatedKeys(Connection connection) throws SQLException {
        Statement statement = connection.createStatement();
        statement.executeUpdate("INSERT x", Statement.RETURN_GENERATED_KEYS);
        ResultSet keys = statement.getGeneratedKeys();
        keys.next();
        return keys;
    }

    private static void dies(List<Check> all, String what, Class<?> type, Taking taking) {
        all.add(new Check(
                P3, "every method throws after close: " + what, scene -> everyMethodThrows(scene, type, taking)));
    }

    private static void everyMethodThrows(Scene scene, Class<?> type, Taking taking) throws Throwable {
        Connection user = scene.dataSource(Spec.ofSize(1)).getConnection();
        StubSession session = scene.sessionOf(user);
        Object taken = taking.from(user);
        user.close();
        List<String> wrong = new ArrayList<>();
        for (Method method : methodsOf(type)) {
            if (!MAY_ANSWER.contains(method.getName())) {
                int before = session.journalOfThisThread().size();
                String fault = faultOf(method, taken);
                if (fault == null && reachedConnection(session, before)) {
                    fault = "throws, but reached the connection";
                }
                if (fault != null) {
                    wrong.add(method.getName() + " " + fault);
                }
            }
        }
        Scene.check(wrong.isEmpty(), wrong.size() + " methods: " + wrong);
    }

    /** Whether a call went through to what the next user shares; a physical statement is closed and nobody's. */
    private static boolean reachedConnection(StubSession session, int before) {
        List<String> journal = session.journalOfThisThread();
        return session.isOpen()
                && journal.subList(Math.min(before, journal.size()), journal.size()).stream()
                        .anyMatch(call -> call.startsWith("Connection.") || call.startsWith("DatabaseMetaData."));
    }

    private static List<Method> methodsOf(Class<?> type) {
        List<Method> methods = new ArrayList<>(Arrays.asList(type.getMethods()));
        methods.removeIf(method -> Modifier.isStatic(method.getModifiers()) || !mayThrow(method));
        methods.sort(Comparator.comparing(Method::toString));
        return methods;
    }

    /** A few methods of the metadata are declared without exceptions: they describe the driver, not the connection. */
    private static boolean mayThrow(Method method) {
        return Arrays.stream(method.getExceptionTypes()).anyMatch(SQLException.class::isAssignableFrom);
    }

    private static @Nullable String faultOf(Method method, Object target) {
        try {
            Object answer = method.invoke(target, arguments(method));
            return "answers " + answer;
        } catch (InvocationTargetException e) {
            Throwable thrown = e.getCause();
            boolean declared = thrown != null && HandleCrawl.isChecked(thrown.getClass());
            return declared ? null : "throws " + thrown;
        } catch (ReflectiveOperationException e) {
            return "cannot be called: " + e;
        }
    }

    /** Arguments that a live object would take. */
    static @Nullable Object[] arguments(Method method) {
        Class<?>[] types = method.getParameterTypes();
        @Nullable Object[] arguments = new Object[types.length];
        for (int i = 0; i < types.length; i++) {
            arguments[i] = argument(types[i]);
        }
        return arguments;
    }

    private static @Nullable Object argument(Class<?> type) {
        if (type == String.class) {
            return "SELECT 1";
        }
        if (type == int.class) {
            return 1;
        }
        if (type == long.class) {
            return 1L;
        }
        if (type == OutputStream.class) {
            return OutputStream.nullOutputStream();
        }
        if (type == Writer.class) {
            return Writer.nullWriter();
        }
        if (type == CharBuffer.class) {
            return CharBuffer.allocate(2);
        }
        if (type == Class.class) {
            return StubPhysical.class;
        }
        if (type == Executor.class) {
            return (Executor) Runnable::run;
        }
        if (type == Properties.class) {
            return new Properties();
        }
        if (type == Map.class) {
            return new HashMap<>();
        }
        if (type.isArray() || type.isPrimitive()) {
            Object two = java.lang.reflect.Array.newInstance(type.isArray() ? type.getComponentType() : type, 2);
            return type.isArray() ? two : java.lang.reflect.Array.get(two, 0);
        }
        return null;
    }

    private static void clientInfo(Scene scene) throws Throwable {
        Connection user = scene.dataSource(Spec.ofSize(1)).getConnection();
        user.close();
        mustThrow(SQLClientInfoException.class, () -> user.setClientInfo("a", "b"));
        mustThrow(SQLClientInfoException.class, () -> user.setClientInfo(new Properties()));
    }

    private static void mustThrow(Class<? extends Throwable> expected, Scene.Work work) {
        try {
            work.run();
        } catch (Throwable e) {
            Scene.check(expected.isInstance(e), "throws " + e + " instead of " + expected.getSimpleName());
            return;
        }
        throw new AssertionError("does not throw " + expected.getSimpleName());
    }

    private static void closedIsClosed(Scene scene) throws Throwable {
        Connection user = scene.dataSource(Spec.ofSize(1)).getConnection();
        Statement statement = user.createStatement();
        ResultSet rows = rows(user);
        Scene.check(!user.isClosed() && user.isValid(1), "a live connection is closed or not valid");
        user.close();
        user.close();
        statement.close();
        rows.close();
        Scene.check(user.isClosed(), "isClosed() is false after close()");
        Scene.check(!user.isValid(1), "isValid() is true after close()");
        Scene.check(statement.isClosed(), "isClosed() of a statement is false after close() of its connection");
        Scene.check(rows.isClosed(), "isClosed() of a result set is false after close() of its connection");
    }

    private static void unwrapAfterClose(Scene scene) throws Throwable {
        Connection user = scene.dataSource(Spec.ofSize(1)).getConnection();
        Scene.query(user);
        Scene.check(StubDatabase.isPhysical(ReturnChecks.physical(user)), "unwrap does not lead to the driver");
        user.close();
        mustThrow(SQLException.class, () -> user.unwrap(StubPhysical.class));
        mustThrow(SQLException.class, () -> user.unwrap(Connection.class));
    }

    private static void escapes(List<Check> all, String path, Taking taking) {
        all.add(new Check(P3, "not physical: " + path, scene -> {
            Connection user = scene.dataSource(Spec.ofSize(1)).getConnection();
            Scene.query(user);
            Object reached = taking.from(user);
            Scene.check(!StubDatabase.isPhysical(reached), path + " returns the physical object");
            if (reached instanceof Connection) {
                Scene.check(reached.equals(user), path + " returns another connection than the one it came from");
            }
        }));
    }

    private static void crawl(Scene scene) throws Throwable {
        Connection user = scene.dataSource(Spec.ofSize(1)).getConnection();
        Scene.query(user);
        Set<String> escaped = HandleCrawl.of(user).escaped();
        Scene.check(escaped.isEmpty(), escaped.size() + " ways: " + escaped);
    }

    private static void everythingReachedDies(Scene scene) throws Throwable {
        Connection user = scene.dataSource(Spec.ofSize(1)).getConnection();
        Scene.query(user);
        StubSession session = scene.sessionOf(user);
        HandleCrawl crawl = HandleCrawl.of(user);
        user.close();
        Set<String> wrong = new TreeSet<>();
        for (HandleCrawl.Reached reached : crawl.reached()) {
            for (Method method : HandleCrawl.methodsOf(reached.object())) {
                int before = session.journalOfThisThread().size();
                boolean mustThrow = HandleCrawl.mustThrow(reached.object(), method)
                        && !MAY_ANSWER.contains(method.getName())
                        && isOfTheDriver(reached.object());
                String fault = mustThrow ? faultOf(method, reached.object()) : null;
                if (!mustThrow && method.getReturnType() == void.class) {
                    Scene.closeQuietly(() -> {
                        Object ignored = faultOf(method, reached.object());
                    });
                }
                if (session.isOpen() && session.journalOfThisThread().size() > before) {
                    fault = "reached the session";
                }
                if (fault != null) {
                    wrong.add(reached.path() + "." + method.getName() + " " + fault);
                }
            }
        }
        Scene.check(wrong.isEmpty(), wrong.size() + " ways: " + wrong);
    }

    /** A source or a result only holds what may be. */
    private static boolean isOfTheDriver(Object object) {
        return !(object instanceof Source || object instanceof Result || object instanceof InputSource);
    }

    private static void lateStreams(Scene scene) throws Throwable {
        DataSource pool = scene.dataSource(Spec.ofSize(1).withAutoCommit(false));
        List<Closeable> streams = new ArrayList<>();
        try (Connection user = pool.getConnection()) {
            OutputStream bytes = user.createBlob().setBinaryStream(1);
            bytes.write('x');
            Writer text = user.createClob().setCharacterStream(1);
            text.write("x");
            ResultSet rows = rows(user);
            streams.addAll(List.of(bytes, text, rows.getBinaryStream(1), rows.getCharacterStream(1)));
        }
        try (Connection next = pool.getConnection()) {
            next.createStatement().executeUpdate("INSERT mine");
            for (Closeable stream : streams) {
                if (stream instanceof Flushable flushable) {
                    Scene.closeQuietly(flushable::flush);
                }
                Scene.closeQuietly(stream);
            }
            next.commit();
        }
        Scene.check(
                scene.db().committed().equals(List.of("INSERT mine")),
                "committed: " + scene.db().committed());
    }
}

package dev.weir.testkit;

import dev.weir.testkit.Contract.Spec;
import dev.weir.testkit.ContractSuite.Check;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.sql.Array;
import java.sql.CallableStatement;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLClientInfoException;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** P3: a closed handle is dead, and nothing reached from a live one is the physical object. */
final class DeadHandleChecks {

    private static final String P3 = "P3";

    /** What the specification lets a closed object answer, or what needs no connection. */
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

    /** The interfaces whose objects lead back to a connection. */
    private static final List<Class<?>> LEADING_BACK = List.of(
            Connection.class,
            CallableStatement.class,
            PreparedStatement.class,
            Statement.class,
            ResultSet.class,
            DatabaseMetaData.class,
            Array.class);

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
                int before = session.journal().size();
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
        List<String> journal = session.journal();
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
            return thrown instanceof SQLException ? null : "throws " + thrown;
        } catch (ReflectiveOperationException e) {
            return "cannot be called: " + e;
        }
    }

    /** Arguments that a live object would take. */
    private static @Nullable Object[] arguments(Method method) {
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
            Object one = java.lang.reflect.Array.newInstance(type.isArray() ? type.getComponentType() : type, 1);
            return type.isArray() ? one : java.lang.reflect.Array.get(one, 0);
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
        Scene.check(StubDatabase.isPhysical(ReturnChecks.physical(user)), "unwrap does not lead to the driver");
        user.close();
        mustThrow(SQLException.class, () -> user.unwrap(StubPhysical.class));
        mustThrow(SQLException.class, () -> user.unwrap(Connection.class));
    }

    private static void escapes(List<Check> all, String path, Taking taking) {
        all.add(new Check(P3, "not physical: " + path, scene -> {
            Connection user = scene.dataSource(Spec.ofSize(1)).getConnection();
            Object reached = taking.from(user);
            Scene.check(!StubDatabase.isPhysical(reached), path + " returns the physical object");
            if (reached instanceof Connection) {
                Scene.check(reached.equals(user), path + " returns another connection than the one it came from");
            }
        }));
    }

    /** An object reached, and how. */
    private record Reached(Object object, String path, int depth) {}

    /** Follows every method that returns something that leads back to a connection, three steps deep. */
    private static void crawl(Scene scene) throws Throwable {
        Connection user = scene.dataSource(Spec.ofSize(1)).getConnection();
        Set<String> seen = new HashSet<>();
        List<String> escaped = new ArrayList<>();
        Deque<Reached> todo = new ArrayDeque<>(List.of(new Reached(user, "Connection", 0)));
        for (Reached next = todo.poll(); next != null; next = todo.poll()) {
            Class<?> type = typeOf(next.object);
            makeReady(next.object);
            for (Method method : methodsOf(type)) {
                if (leadsBack(method.getReturnType())
                        && seen.add(next.path.contains("MetaData") + type.getName() + method)) {
                    Object result = call(method, next.object);
                    String path = next.path + "." + method.getName();
                    if (StubDatabase.isPhysical(result)) {
                        escaped.add(path);
                    } else if (result != null && next.depth < 3) {
                        todo.add(new Reached(result, path, next.depth + 1));
                    }
                }
            }
        }
        Scene.check(escaped.isEmpty(), escaped.size() + " ways: " + escaped);
    }

    private static boolean leadsBack(Class<?> type) {
        return LEADING_BACK.contains(type);
    }

    private static Class<?> typeOf(Object object) {
        return LEADING_BACK.stream()
                .filter(type -> type.isInstance(object))
                .findFirst()
                .orElse(Object.class);
    }

    private static void makeReady(Object object) {
        Scene.closeQuietly(() -> {
            if (object instanceof ResultSet rows) {
                rows.next();
            } else if (object instanceof PreparedStatement statement) {
                statement.execute();
            } else if (object instanceof Statement statement) {
                statement.execute("SELECT 1");
            }
        });
    }

    private static @Nullable Object call(Method method, Object target) throws IllegalAccessException {
        try {
            return method.invoke(target, arguments(method));
        } catch (InvocationTargetException e) {
            // Refused, which leads nowhere.
            return null;
        }
    }
}

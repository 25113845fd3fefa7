package dev.weir.testkit;

import java.lang.reflect.Method;
import java.sql.CallableStatement;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Statements of all three kinds. Each writes its own text, with the parameters behind it. */
final class StubStatement extends StubHandler {

    private static final String DRIVERS_OWN = "SELECT";

    private final @Nullable String prepared;
    private volatile boolean closed;

    // guarded by this
    private final Map<Integer, Object> parameters = new TreeMap<>();
    private final List<String[]> batch = new ArrayList<>();
    private @Nullable StubResultSet result;
    private @Nullable SQLWarning warning;
    private boolean closeOnCompletion;
    private long updateCount = -1;

    StubStatement(StubSession session, Class<? extends Statement> type, @Nullable String prepared) {
        super(session, type);
        this.prepared = prepared;
        session.opened(this);
    }

    /** A statement that the driver made for itself, which the user sees only as the source of a result set. */
    static StubStatement internal(StubSession session) {
        StubStatement statement = new StubStatement(session, Statement.class, null);
        session.closed(statement);
        return statement;
    }

    static StubStatement of(StubSession session, Method factory, Object[] arguments) {
        Class<?> kind = factory.getReturnType();
        if (kind == CallableStatement.class) {
            return new StubStatement(session, CallableStatement.class, (String) arguments[0]);
        }
        if (kind == PreparedStatement.class) {
            return new StubStatement(session, PreparedStatement.class, (String) arguments[0]);
        }
        return new StubStatement(session, Statement.class, null);
    }

    ResultSet resultSet(List<?> rows) {
        return (ResultSet) new StubResultSet(this, rows).proxy();
    }

    boolean isClosed() {
        return closed || session().isClosed();
    }

    @Override
    synchronized @Nullable Object answer(Method method, Object[] arguments) throws Throwable {
        String name = method.getName();
        switch (name) {
            case "close" -> {
                close();
                return null;
            }
            case "isClosed" -> {
                return isClosed();
            }
            default -> {
                if (isClosed()) {
                    throw new SQLException("the statement is closed", "55000");
                }
                return name.startsWith("execute") ? execute(name, arguments) : answerOpen(name, method, arguments);
            }
        }
    }

    private void close() {
        closed = true;
        closeResult();
        session().closed(this);
    }

    private void closeResult() {
        if (result != null) {
            result.close();
            result = null;
        }
    }

    private @Nullable Object execute(String name, Object[] arguments) throws SQLException {
        closeResult();
        warning = null;
        if (name.equals("executeBatch") || name.equals("executeLargeBatch")) {
            return executeBatch(name);
        }
        String sql = arguments.length > 0 ? (String) arguments[0] : sql();
        SQLWarning before = session().warning();
        updateCount = session().execute(sql, arguments.length > 0 ? sql : row(), parameters.values());
        if (session().warning() != before) {
            warning = new SQLWarning(sql, "01000");
        }
        if (updateCount < 0) {
            List<String> settings = session().settings(sql, parameters.values());
            result = settings.isEmpty()
                    ? new StubResultSet(this, session().database().answer(sql, session()))
                    : new StubResultSet(this, List.of(settings));
        }
        return switch (name) {
            case "executeQuery" -> (result == null ? new StubResultSet(this, List.of()) : result).proxy();
            case "executeUpdate" -> (int) Math.max(0, updateCount);
            case "executeLargeUpdate" -> Math.max(0, updateCount);
            default -> result != null;
        };
    }

    private Object executeBatch(String name) throws SQLException {
        long[] counts = new long[batch.size()];
        int done = 0;
        for (String[] entry : batch) {
            counts[done++] = Math.max(0, session().execute(entry[0], entry[1], List.of()));
        }
        batch.clear();
        if (name.equals("executeLargeBatch")) {
            return counts;
        }
        int[] small = new int[counts.length];
        for (int i = 0; i < counts.length; i++) {
            small[i] = (int) counts[i];
        }
        return small;
    }

    private @Nullable Object answerOpen(String name, Method method, Object[] arguments) throws SQLException {
        switch (name) {
            case "getConnection" -> {
                return session().connection();
            }
            case "enquoteLiteral" -> {
                return enquoted((String) arguments[0]);
            }
            case "addBatch" -> {
                String sql = arguments.length > 0 ? (String) arguments[0] : sql();
                batch.add(new String[] {sql, arguments.length > 0 ? sql : row()});
                return null;
            }
            case "clearBatch" -> batch.clear();
            case "clearParameters" -> parameters.clear();
            case "getResultSet" -> {
                return result == null ? null : result.proxy();
            }
            case "getUpdateCount" -> {
                return (int) updateCount;
            }
            case "getLargeUpdateCount" -> {
                return updateCount;
            }
            case "getMoreResults" -> {
                closeResult();
                updateCount = -1;
                return false;
            }
            case "getGeneratedKeys" -> {
                return resultSet(List.of(1));
            }
            case "getWarnings" -> {
                return warning;
            }
            case "clearWarnings" -> warning = null;
            case "closeOnCompletion" -> closeOnCompletion = true;
            case "isCloseOnCompletion" -> {
                return closeOnCompletion;
            }
            default -> {
                return parameterOr(name, method, arguments);
            }
        }
        return null;
    }

    private @Nullable Object parameterOr(String name, Method method, Object[] arguments) {
        boolean ofPrepared = method.getDeclaringClass() != Statement.class;
        if (ofPrepared && name.startsWith("set") && arguments.length > 1 && arguments[0] instanceof Integer index) {
            parameters.put(index, arguments[1] == null ? "null" : arguments[1]);
            return null;
        }
        if (ofPrepared && name.equals("getObject")) {
            boolean typed = arguments[arguments.length - 1] instanceof Class<?> wanted && wanted != Object.class;
            return typed ? usual((Class<?>) arguments[arguments.length - 1]) : 1;
        }
        return usual(method, arguments);
    }

    /** A literal as this driver writes it, unlike any other. */
    static String enquoted(String literal) {
        return "STUB'" + literal.replace("'", "''") + "'";
    }

    @Override
    String description() {
        return sql();
    }

    private String sql() {
        return prepared == null ? DRIVERS_OWN : prepared;
    }

    private String row() {
        return parameters.isEmpty() ? sql() : sql() + " " + Collections.unmodifiableCollection(parameters.values());
    }
}

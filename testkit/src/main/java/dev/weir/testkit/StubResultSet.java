package dev.weir.testkit;

import java.lang.reflect.Method;
import java.sql.Array;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A result of one column. Rows can be inserted through it, which writes them in the session's transaction. */
final class StubResultSet extends StubHandler {

    private static final Object[] NO_COLUMNS = {};

    private final StubStatement statement;
    private final List<?> rows;
    private volatile int position;
    private volatile boolean closed;

    StubResultSet(StubStatement statement, List<?> rows) {
        super(statement.session(), ResultSet.class);
        this.statement = statement;
        this.rows = rows;
    }

    void close() {
        closed = true;
    }

    @Override
    @Nullable
    Object answer(Method method, Object[] arguments) throws SQLException {
        String name = method.getName();
        switch (name) {
            case "close" -> {
                closed = true;
                return null;
            }
            case "isClosed" -> {
                return isClosed();
            }
            default -> {
                if (isClosed()) {
                    throw new SQLException("the result set is closed", "24000");
                }
                return answerOpen(name, method, arguments);
            }
        }
    }

    private boolean isClosed() {
        return closed || statement.isClosed();
    }

    private @Nullable Object answerOpen(String name, Method method, Object[] arguments) throws SQLException {
        switch (name) {
            case "next" -> {
                session().touch();
                position = Math.min(position + 1, rows.size() + 1);
                return position <= rows.size();
            }
            case "getRow" -> {
                return position <= rows.size() ? position : 0;
            }
            case "getMetaData" -> {
                Object[] columns = !rows.isEmpty() && rows.get(0) instanceof List<?> row ? row.toArray() : NO_COLUMNS;
                return new StubValue(session(), ResultSetMetaData.class, columns).proxy();
            }
            case "getStatement" -> {
                return statement.proxy();
            }
            case "insertRow", "updateRow", "deleteRow" -> {
                session().write(name);
                return null;
            }
            case "getConcurrency" -> {
                return ResultSet.CONCUR_UPDATABLE;
            }
            case "findColumn" -> {
                return 1;
            }
            default -> {
                return isColumn(method) ? column(arguments[0], wanted(method, arguments)) : usual(method, arguments);
            }
        }
    }

    private static boolean isColumn(Method method) {
        return method.getName().startsWith("get")
                && method.getParameterCount() > 0
                && (method.getParameterTypes()[0] == int.class || method.getParameterTypes()[0] == String.class);
    }

    /** The type that the user asks for, by the method or by its argument; the driver's own values are arrays. */
    private static Class<?> wanted(Method method, Object[] arguments) {
        if (arguments.length == 2 && arguments[1] instanceof Class<?> type) {
            return type == StubPhysical.class ? Array.class : type;
        }
        return method.getReturnType();
    }

    private @Nullable Object column(Object index, Class<?> wanted) throws SQLException {
        if (position < 1 || position > rows.size()) {
            throw new SQLException("there is no current row", "24000");
        }
        Object value = rows.get(position - 1);
        if (value instanceof List<?> columns) {
            value = columns.get(index instanceof Integer number ? number - 1 : 0);
        }
        if (wanted == String.class) {
            return value.toString();
        }
        if (wanted == Array.class) {
            return new StubValue(session(), Array.class).proxy();
        }
        if (wanted == Object.class) {
            return value;
        }
        if (value instanceof Number number) {
            if (wanted == int.class) {
                return number.intValue();
            }
            if (wanted == long.class) {
                return number.longValue();
            }
        }
        return wanted == ResultSet.class ? StubStatement.internal(session()).resultSet(List.of(1)) : usual(wanted);
    }
}

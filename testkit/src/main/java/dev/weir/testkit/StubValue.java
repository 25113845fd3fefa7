package dev.weir.testkit;

import java.lang.reflect.Method;
import java.sql.Array;
import java.sql.Blob;
import java.sql.Clob;
import java.sql.NClob;
import java.sql.ParameterMetaData;
import java.sql.Ref;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.RowId;
import java.sql.SQLException;
import java.sql.SQLXML;
import java.sql.Savepoint;
import java.sql.Struct;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Arrays, large objects, savepoints and descriptions: objects with little behaviour that lead back to their session. */
final class StubValue extends StubHandler {

    private static final Set<Class<?>> VALUES = Set.of(
            Array.class,
            Blob.class,
            Clob.class,
            NClob.class,
            ParameterMetaData.class,
            Ref.class,
            ResultSetMetaData.class,
            RowId.class,
            SQLXML.class,
            Savepoint.class,
            Struct.class);

    private final Class<?> type;

    StubValue(StubSession session, Class<?> type) {
        super(session, type);
        this.type = type;
    }

    static boolean isValue(Class<?> type) {
        return VALUES.contains(type);
    }

    @Override
    @Nullable
    Object answer(Method method, Object[] arguments) throws SQLException {
        if (session().isClosed()) {
            throw new SQLException("the connection is closed", "08003");
        }
        String name = method.getName();
        if (method.getReturnType() == ResultSet.class) {
            return StubStatement.internal(session()).resultSet(List.of(1, 2, 3));
        }
        if (type == Array.class && name.equals("getArray")) {
            return new Integer[] {1, 2, 3};
        }
        if (name.equals("getColumnCount") || name.equals("getParameterCount")) {
            return 1;
        }
        return usual(method, arguments);
    }
}

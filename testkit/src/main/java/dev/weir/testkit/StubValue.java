package dev.weir.testkit;

import java.io.InputStream;
import java.io.Reader;
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
import java.util.ArrayList;
import java.util.Comparator;
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
    private final Object[] elements;

    StubValue(StubSession session, Class<?> type) {
        this(session, type, 1, 2, 3);
    }

    /** An array of these elements, or a structure of these attributes. */
    StubValue(StubSession session, Class<?> type, Object... elements) {
        super(session, type);
        this.type = type;
        this.elements = elements;
    }

    /** One of each kind of object that leads back to the session. */
    static List<Object> objects(StubSession session) {
        List<Object> objects = new ArrayList<>();
        VALUES.stream()
                .filter(type -> type != Savepoint.class && !type.getSimpleName().endsWith("MetaData"))
                .sorted(Comparator.comparing(Class::getName))
                .forEach(type -> objects.add(new StubValue(session, type).proxy()));
        objects.add(StubStatement.internal(session).resultSet(List.of(1)));
        objects.add(StubStreams.of(session, InputStream.class));
        objects.add(StubStreams.of(session, Reader.class));
        objects.add(new Object[] {1, objects.toArray()});
        objects.add(new StubValue(session, Array.class, objects.toArray()).proxy());
        objects.add(new StubValue(session, Struct.class, objects.toArray()).proxy());
        Struct[] structs = {(Struct) new StubValue(session, Struct.class, objects.get(0)).proxy()};
        objects.add(new StubValue(session, Array.class, new Object[] {structs}).proxy());
        return objects;
    }

    @Override
    String description() {
        return type == Array.class ? "{1,2,3}" : super.description();
    }

    static boolean isValue(Class<?> type) {
        return VALUES.contains(type);
    }

    @Override
    @Nullable
    Object answer(Method method, Object[] arguments) throws Exception {
        if (session().isClosed()) {
            throw new SQLException("the connection is closed", "08003");
        }
        String name = method.getName();
        if (name.equals("free")) {
            session().freed(this);
        }
        if (method.getReturnType() == ResultSet.class) {
            return StubStatement.internal(session()).resultSet(List.of(1, 2, 3));
        }
        if (name.equals("getArray")) {
            return elements[0] instanceof Integer ? new Integer[] {1, 2, 3} : elements.clone();
        }
        if (name.equals("getAttributes")) {
            return elements.clone();
        }
        if (name.equals("getSource") || name.equals("setResult")) {
            return StubXml.of(session(), (Class<?>) arguments[0]);
        }
        if (name.equals("getColumnCount") || name.equals("getParameterCount")) {
            return Math.max(1, elements.length);
        }
        return usual(method, arguments);
    }
}

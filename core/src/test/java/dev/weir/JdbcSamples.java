package dev.weir;

import java.lang.reflect.Array;
import java.lang.reflect.Proxy;
import java.math.BigDecimal;
import java.sql.Blob;
import java.sql.CallableStatement;
import java.sql.Clob;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.Date;
import java.sql.NClob;
import java.sql.ParameterMetaData;
import java.sql.PreparedStatement;
import java.sql.Ref;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.RowIdLifetime;
import java.sql.SQLXML;
import java.sql.Statement;
import java.sql.Struct;
import java.sql.Time;
import java.sql.Timestamp;
import java.util.Calendar;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.jspecify.annotations.Nullable;

/** A value for every type that occurs in java.sql. */
public final class JdbcSamples {
    public static final List<Class<?>> INTERFACES = List.of(
            Connection.class,
            Statement.class,
            PreparedStatement.class,
            CallableStatement.class,
            ResultSet.class,
            DatabaseMetaData.class,
            ResultSetMetaData.class,
            ParameterMetaData.class,
            java.sql.Array.class,
            Blob.class,
            Clob.class,
            NClob.class,
            SQLXML.class,
            Struct.class,
            Ref.class);

    private static final Map<Class<?>, Object> VALUES = Map.ofEntries(
            Map.entry(boolean.class, true),
            Map.entry(byte.class, (byte) 3),
            Map.entry(short.class, (short) 4),
            Map.entry(int.class, 5),
            Map.entry(long.class, 6L),
            Map.entry(float.class, 7f),
            Map.entry(double.class, 8d),
            Map.entry(String.class, "text"),
            Map.entry(Object.class, "object"),
            Map.entry(BigDecimal.class, BigDecimal.TEN),
            Map.entry(Class.class, String.class),
            Map.entry(Date.class, new Date(0)),
            Map.entry(Time.class, new Time(0)),
            Map.entry(Timestamp.class, new Timestamp(0)),
            Map.entry(Calendar.class, Calendar.getInstance()),
            Map.entry(Properties.class, new Properties()),
            Map.entry(RowIdLifetime.class, RowIdLifetime.ROWID_UNSUPPORTED));

    private JdbcSamples() {}

    public static boolean isJdbc(Class<?> type) {
        return INTERFACES.contains(type);
    }

    static @Nullable Object of(Class<?> type) {
        Object value = VALUES.get(type);
        if (value != null) {
            return value;
        } else if (type.isArray()) {
            return Array.newInstance(type.getComponentType(), 1);
        } else if (type.isInterface()) {
            return Proxy.newProxyInstance(
                    JdbcSamples.class.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> {
                        return method.getName().equals("equals") ? (Object) (proxy == arguments[0]) : null;
                    });
        } else {
            return null;
        }
    }

    public static @Nullable Object[] arguments(Class<?>[] types) {
        @Nullable Object[] arguments = new Object[types.length];
        for (int i = 0; i < types.length; i++) {
            arguments[i] = of(types[i]);
        }
        return arguments;
    }
}

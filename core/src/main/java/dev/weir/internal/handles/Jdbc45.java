package dev.weir.internal.handles;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.sql.Connection;
import java.sql.SQLFeatureNotSupportedException;
import org.jspecify.annotations.Nullable;

/**
 * The methods of a connection that JDBC 4.5 (JDK 26) added. Weir is compiled for an older JDK, so they are looked up in the JDK
 * that it runs on; on an older one no user can call them. Each throws what the driver throws.
 */
final class Jdbc45 {
    private static final @Nullable MethodHandle ENQUOTE_IDENTIFIER =
            find("enquoteIdentifier", String.class, String.class, boolean.class);
    private static final @Nullable MethodHandle ENQUOTE_LITERAL = find("enquoteLiteral", String.class, String.class);
    private static final @Nullable MethodHandle ENQUOTE_NCHAR_LITERAL =
            find("enquoteNCharLiteral", String.class, String.class);
    private static final @Nullable MethodHandle IS_SIMPLE_IDENTIFIER =
            find("isSimpleIdentifier", boolean.class, String.class);

    private Jdbc45() {}

    /** The method of a connection that this JDK has by this name, or null. */
    static @Nullable MethodHandle find(String name, Class<?> returned, Class<?>... parameters) {
        try {
            return MethodHandles.publicLookup()
                    .findVirtual(Connection.class, name, MethodType.methodType(returned, parameters));
        } catch (ReflectiveOperationException e) {
            return null;
        }
    }

    private static MethodHandle required(@Nullable MethodHandle found) throws SQLFeatureNotSupportedException {
        if (found == null) {
            throw new SQLFeatureNotSupportedException("this JDK is older than JDBC 4.5", "0A000");
        }
        return found;
    }

    static String enquoteIdentifier(Connection connection, String text, boolean always) throws Throwable {
        return (String) required(ENQUOTE_IDENTIFIER).invokeExact(connection, text, always);
    }

    static String enquoteLiteral(Connection connection, String text) throws Throwable {
        return (String) required(ENQUOTE_LITERAL).invokeExact(connection, text);
    }

    static String enquoteNCharLiteral(Connection connection, String text) throws Throwable {
        return (String) required(ENQUOTE_NCHAR_LITERAL).invokeExact(connection, text);
    }

    static boolean isSimpleIdentifier(Connection connection, String text) throws Throwable {
        return (boolean) required(IS_SIMPLE_IDENTIFIER).invokeExact(connection, text);
    }
}

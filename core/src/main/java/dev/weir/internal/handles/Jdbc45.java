package dev.weir.internal.handles;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.sql.Array;
import java.sql.Blob;
import java.sql.Clob;
import java.sql.Connection;
import java.sql.SQLXML;
import java.sql.Statement;
import org.jspecify.annotations.Nullable;

/**
 * The methods that JDBC 4.5 (JDK 26) added. Weir is compiled for an older JDK, so they are looked up in the JDK that it runs on.
 * Where that has none of them, each does what JDBC 4.5 says of a driver that does not know it: close() frees, and quoting is left to
 * a statement of the driver.
 *
 * <p>Each throws what the driver throws.
 */
final class Jdbc45 {
    private static final @Nullable MethodHandle ENQUOTE_IDENTIFIER =
            find(Connection.class, "enquoteIdentifier", String.class, String.class, boolean.class);
    private static final @Nullable MethodHandle ENQUOTE_LITERAL =
            find(Connection.class, "enquoteLiteral", String.class, String.class);
    private static final @Nullable MethodHandle ENQUOTE_NCHAR_LITERAL =
            find(Connection.class, "enquoteNCharLiteral", String.class, String.class);
    private static final @Nullable MethodHandle IS_SIMPLE_IDENTIFIER =
            find(Connection.class, "isSimpleIdentifier", boolean.class, String.class);
    private static final @Nullable MethodHandle CLOSE_ARRAY = find(Array.class, "close", void.class);
    private static final @Nullable MethodHandle CLOSE_BLOB = find(Blob.class, "close", void.class);
    private static final @Nullable MethodHandle CLOSE_CLOB = find(Clob.class, "close", void.class);
    private static final @Nullable MethodHandle CLOSE_XML = find(SQLXML.class, "close", void.class);

    private Jdbc45() {}

    /** The method that this JDK has by this name, or null. */
    static @Nullable MethodHandle find(Class<?> owner, String name, Class<?> returned, Class<?>... parameters) {
        try {
            MethodType type = MethodType.methodType(returned, parameters);
            return MethodHandles.lookup().findVirtual(owner, name, type);
        } catch (NoSuchMethodException e) {
            return null;
        } catch (IllegalAccessException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    static String enquoteIdentifier(Connection connection, String text, boolean always) throws Throwable {
        if (ENQUOTE_IDENTIFIER != null) {
            return (String) ENQUOTE_IDENTIFIER.invokeExact(connection, text, always);
        }
        try (Statement statement = connection.createStatement()) {
            return statement.enquoteIdentifier(text, always);
        }
    }

    static String enquoteLiteral(Connection connection, String text) throws Throwable {
        if (ENQUOTE_LITERAL != null) {
            return (String) ENQUOTE_LITERAL.invokeExact(connection, text);
        }
        try (Statement statement = connection.createStatement()) {
            return statement.enquoteLiteral(text);
        }
    }

    static String enquoteNCharLiteral(Connection connection, String text) throws Throwable {
        if (ENQUOTE_NCHAR_LITERAL != null) {
            return (String) ENQUOTE_NCHAR_LITERAL.invokeExact(connection, text);
        }
        try (Statement statement = connection.createStatement()) {
            return statement.enquoteNCharLiteral(text);
        }
    }

    static boolean isSimpleIdentifier(Connection connection, String text) throws Throwable {
        if (IS_SIMPLE_IDENTIFIER != null) {
            return (boolean) IS_SIMPLE_IDENTIFIER.invokeExact(connection, text);
        }
        try (Statement statement = connection.createStatement()) {
            return statement.isSimpleIdentifier(text);
        }
    }

    static void close(Array array) throws Throwable {
        if (CLOSE_ARRAY != null) {
            CLOSE_ARRAY.invokeExact(array);
        } else {
            array.free();
        }
    }

    static void close(Blob blob) throws Throwable {
        if (CLOSE_BLOB != null) {
            CLOSE_BLOB.invokeExact(blob);
        } else {
            blob.free();
        }
    }

    static void close(Clob clob) throws Throwable {
        if (CLOSE_CLOB != null) {
            CLOSE_CLOB.invokeExact(clob);
        } else {
            clob.free();
        }
    }

    static void close(SQLXML xml) throws Throwable {
        if (CLOSE_XML != null) {
            CLOSE_XML.invokeExact(xml);
        } else {
            xml.free();
        }
    }
}

package dev.weir.codegen;

import java.lang.reflect.Method;
import java.sql.Array;
import java.sql.Blob;
import java.sql.CallableStatement;
import java.sql.Clob;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.NClob;
import java.sql.ParameterMetaData;
import java.sql.PreparedStatement;
import java.sql.Ref;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLXML;
import java.sql.Statement;
import java.sql.Struct;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * The difference between one JDBC interface and the next: which hand-written class its handle extends, which methods that class
 * already has, and what must happen before a call is delegated.
 *
 * @param jdbc the interface
 * @param base the hand-written class that the handle extends
 * @param physicalInBase whether the base holds the physical object in a field of the interface's own type
 * @param handWritten names of the methods that the base has, in all their overloads; with {@code ()} the one without parameters
 */
record HandleSpec(Class<?> jdbc, String base, boolean physicalInBase, Set<String> handWritten) {

    /** The close() of values, which JDBC 4.5 added, is left to the interface: it calls free(). */
    private static final Set<String> CLOSE = Set.of("close");

    private static final Set<String> WRAPPER = Set.of("unwrap", "isWrapperFor");
    private static final Set<String> STATEMENT =
            Set.of("unwrap", "isWrapperFor", "close", "isClosed", "getConnection", "closeOnCompletion");

    static final List<HandleSpec> ALL = List.of(
            new HandleSpec(
                    Connection.class,
                    "AbstractConnectionHandle",
                    true,
                    Set.of(
                            "unwrap",
                            "isWrapperFor",
                            "close",
                            "isClosed",
                            "abort",
                            "isValid",
                            "getClientInfo()",
                            "setClientInfo",
                            "getTypeMap")),
            new HandleSpec(Statement.class, "AbstractStatementHandle", false, STATEMENT),
            new HandleSpec(PreparedStatement.class, "AbstractStatementHandle", false, STATEMENT),
            new HandleSpec(CallableStatement.class, "AbstractStatementHandle", false, STATEMENT),
            new HandleSpec(
                    ResultSet.class,
                    "AbstractResultSetHandle",
                    true,
                    Set.of("unwrap", "isWrapperFor", "close", "isClosed", "getStatement")),
            new HandleSpec(DatabaseMetaData.class, "AbstractHandle", false, WRAPPER),
            new HandleSpec(ResultSetMetaData.class, "AbstractHandle", false, WRAPPER),
            new HandleSpec(ParameterMetaData.class, "AbstractHandle", false, WRAPPER),
            new HandleSpec(Array.class, "AbstractValueHandle", false, CLOSE),
            new HandleSpec(Blob.class, "AbstractValueHandle", false, CLOSE),
            new HandleSpec(Clob.class, "AbstractValueHandle", false, CLOSE),
            new HandleSpec(NClob.class, "AbstractValueHandle", false, CLOSE),
            new HandleSpec(SQLXML.class, "AbstractValueHandle", false, CLOSE),
            new HandleSpec(Struct.class, "AbstractValueHandle", false, CLOSE),
            new HandleSpec(Ref.class, "AbstractValueHandle", false, CLOSE));

    /**
     * A method that JDBC got after the oldest JDK that Weir runs on. It is written from this description, whatever the JDK of
     * the build has.
     */
    record Younger(String name, Class<?> returned, List<Class<?>> parameters, List<String> names) {}

    /** The methods that JDBC 4.5 added, which is part of JDK 26. */
    private static final List<Younger> OF_CONNECTION = List.of(
            new Younger(
                    "enquoteIdentifier", String.class, List.of(String.class, boolean.class), List.of("text", "always")),
            new Younger("enquoteLiteral", String.class, List.of(String.class), List.of("text")),
            new Younger("enquoteNCharLiteral", String.class, List.of(String.class), List.of("text")),
            new Younger("isSimpleIdentifier", boolean.class, List.of(String.class), List.of("text")));

    private static final Set<String> FREE_CONNECTION_READS = Set.of(
            "getAutoCommit", "isReadOnly", "getHoldability", "getNetworkTimeout", "getWarnings", "clearWarnings");

    private static final Set<String> WORKING_STATEMENT_METHODS =
            Set.of("getGeneratedKeys", "getResultSet", "getMoreResults", "getMetaData", "getParameterMetaData");

    private static final Set<String> WRITING_RESULT_SET_METHODS = Set.of("insertRow", "updateRow", "deleteRow");

    private static final Set<String> WORKING_RESULT_SET_METHODS =
            Set.of("refreshRow", "absolute", "relative", "first", "last", "previous", "beforeFirst", "afterLast");

    String handle() {
        return jdbc.getSimpleName() + "Handle";
    }

    boolean isStatement() {
        return Statement.class.isAssignableFrom(jdbc);
    }

    /** Whether the handle has the driver's object only until it ends, so that to read it is the check of life. */
    boolean losesPhysical() {
        return isStatement() || jdbc == ResultSet.class;
    }

    boolean generates(Method method) {
        return !isHandWritten(method)
                && younger().stream().noneMatch(younger -> younger.name().equals(method.getName()));
    }

    boolean isHandWritten(Method method) {
        String name = method.getName();
        return handWritten.contains(name) || (handWritten.contains(name + "()") && method.getParameterCount() == 0);
    }

    List<Younger> younger() {
        return jdbc == Connection.class ? OF_CONNECTION : List.of();
    }

    /**
     * The statements before the delegated call, unless it sets a property: the check of life, and the mark that this call must
     * leave. Where the handle {@link #losesPhysical}, this comes after the look at the driver's object.
     */
    List<String> prologue(Method method) {
        if (method.getReturnType() == Connection.class) {
            return List.of("checkOpen()");
        }
        if (jdbc == Connection.class) {
            return isAnswered(method) ? List.of("checkWorks()", "noteCall()") : List.of(connectionPrologue(method));
        }
        if (isStatement()) {
            return statementPrologue(method);
        }
        if (jdbc == ResultSet.class) {
            return resultSetPrologue(method);
        }
        return List.of("checkWorks()");
    }

    private static String connectionPrologue(Method method) {
        String name = method.getName();
        if (name.startsWith("prepare")) {
            return "checkWorks(sql)";
        }
        return FREE_CONNECTION_READS.contains(name) ? "checkOpen()" : "checkWorks()";
    }

    /** The bit of the session property that this method of the connection sets, or the empty string. */
    static String property(Method method) {
        if (method.getDeclaringClass() != Connection.class) {
            return "";
        }
        return switch (method.getName()) {
            case "setAutoCommit" -> "AUTO_COMMIT";
            case "setReadOnly" -> "READ_ONLY";
            case "setTransactionIsolation" -> "ISOLATION";
            case "setCatalog" -> "CATALOG";
            case "setSchema" -> "SCHEMA";
            case "setHoldability" -> "HOLDABILITY";
            case "setNetworkTimeout" -> "NETWORK_TIMEOUT";
            case "setTypeMap" -> "TYPE_MAP";
            case "setShardingKey", "setShardingKeyIfValid" -> "SHARDING";
            default -> "";
        };
    }

    private List<String> resultSetPrologue(Method method) {
        List<String> statements = new ArrayList<>();
        if (WRITING_RESULT_SET_METHODS.contains(method.getName())) {
            statements.add("connection.writesRow()");
        } else if (WORKING_RESULT_SET_METHODS.contains(method.getName())) {
            statements.add("connection.markWork()");
        }
        if (isAnswered(method)) {
            statements.add("if (measured) connection.noteCall()");
        }
        return statements;
    }

    /** The statements after the delegated call of a method that ends a transaction or a savepoint, if it succeeded. */
    static List<String> epilogue(Method method) {
        List<String> end = List.of("transactionEnded()", "noteEnd()");
        return switch (method.getName()) {
            case "commit" -> end;
            case "rollback" -> method.getParameterCount() == 0 ? end : List.of();
            case "setAutoCommit" -> List.of("noteAutoCommit(autoCommit)");
            case "releaseSavepoint" -> List.of("forget(savepoint)");
            default -> List.of();
        };
    }

    /** The statement after the delegated call of one that {@link #isAnswered}, whether it failed or not. */
    String lastly() {
        if (jdbc == Connection.class) {
            return "noteAnswer()";
        }
        return isStatement() ? "connection.noteAnswer()" : "if (measured) connection.noteAnswer()";
    }

    /** Whether the server may have to answer, so that a look meanwhile is to find the loan in the driver. */
    boolean isAnswered(Method method) {
        String name = method.getName();
        if (isStatement()) {
            return executes(method);
        }
        if (jdbc == Connection.class) {
            return name.equals("commit") || name.equals("rollback");
        }
        return jdbc == ResultSet.class
                && (name.equals("next")
                        || WRITING_RESULT_SET_METHODS.contains(name)
                        || WORKING_RESULT_SET_METHODS.contains(name));
    }

    private static boolean executes(Method method) {
        return method.getName().startsWith("execute");
    }

    private List<String> statementPrologue(Method method) {
        String name = method.getName();
        if (executes(method)) {
            boolean hasSql = method.getParameterCount() > 0;
            return List.of(hasSql ? "checkExecutes(sql, physical)" : "checkExecutes(physical)");
        }
        if (name.equals("addBatch") && method.getParameterCount() == 1) {
            return List.of("connection.checkWorks(sql)");
        }
        boolean mayWriteLargeObject = name.startsWith("set") && (name.endsWith("lob") || name.endsWith("Stream"));
        boolean works = WORKING_STATEMENT_METHODS.contains(name) || mayWriteLargeObject;
        return works ? List.of("connection.markWork()") : List.of();
    }
}

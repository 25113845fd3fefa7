package dev.weir.handlegen;

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
import java.util.List;
import java.util.Set;

/**
 * What differs from one JDBC interface to the next: which hand-written class its handle extends, which methods that class
 * already has, and what must happen before a call is delegated.
 *
 * @param jdbc the interface
 * @param base the hand-written class that the handle extends
 * @param physicalInBase whether the base holds the physical object in a field of the interface's own type
 * @param handWritten names of the methods that the base has, in all their overloads
 */
record HandleSpec(Class<?> jdbc, String base, boolean physicalInBase, Set<String> handWritten) {

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
                            "commit",
                            "rollback",
                            "getClientInfo",
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
            new HandleSpec(Array.class, "AbstractHandle", false, Set.of()),
            new HandleSpec(Blob.class, "AbstractHandle", false, Set.of()),
            new HandleSpec(Clob.class, "AbstractHandle", false, Set.of()),
            new HandleSpec(NClob.class, "AbstractHandle", false, Set.of()),
            new HandleSpec(SQLXML.class, "AbstractHandle", false, Set.of()),
            new HandleSpec(Ref.class, "AbstractHandle", false, Set.of()));

    /** Methods younger than the oldest JDK that Weir runs on; a build on a newer one must not see them. */
    private static final Set<String> YOUNGER = Set.of(
            "Connection.enquoteLiteral",
            "Connection.enquoteIdentifier",
            "Connection.enquoteNCharLiteral",
            "Connection.isSimpleIdentifier",
            "Array.close",
            "Blob.close",
            "Clob.close",
            "NClob.close",
            "SQLXML.close");

    private static final Set<String> FREE_CONNECTION_READS = Set.of(
            "getAutoCommit", "isReadOnly", "getHoldability", "getNetworkTimeout", "getWarnings", "clearWarnings");

    private static final Set<String> WORKING_STATEMENT_METHODS =
            Set.of("getGeneratedKeys", "getResultSet", "getMoreResults", "getMetaData", "getParameterMetaData");

    private static final Set<String> WORKING_RESULT_SET_METHODS = Set.of(
            "insertRow",
            "updateRow",
            "deleteRow",
            "refreshRow",
            "absolute",
            "relative",
            "first",
            "last",
            "previous",
            "beforeFirst",
            "afterLast");

    String handle() {
        return jdbc.getSimpleName() + "Handle";
    }

    boolean isStatement() {
        return Statement.class.isAssignableFrom(jdbc);
    }

    boolean generates(Method method) {
        return !handWritten.contains(method.getName())
                && !YOUNGER.contains(jdbc.getSimpleName() + "." + method.getName());
    }

    /**
     * What comes before the delegated call: the check of life, and the mark that this call must leave. Those of statements and
     * result sets, whose handles lose the driver's object when they end, also read {@code physical}.
     */
    List<String> prologue(Method method) {
        if (method.getReturnType() == Connection.class) {
            return List.of("checkOpen()");
        }
        if (jdbc == Connection.class) {
            return List.of(connectionPrologue(method));
        }
        if (isStatement()) {
            return statementPrologue(method);
        }
        if (jdbc == ResultSet.class) {
            boolean works = WORKING_RESULT_SET_METHODS.contains(method.getName());
            return List.of("ResultSet physical = " + (works ? "works()" : "open()"));
        }
        return List.of("checkWorks()");
    }

    private static String connectionPrologue(Method method) {
        String name = method.getName();
        if (name.startsWith("setShardingKey")) {
            return "checkChanges(Session.UNRESTORABLE)";
        }
        String property = property(method);
        if (!property.isEmpty()) {
            return "checkChanges(Session." + property + ")";
        }
        if (name.startsWith("prepare")) {
            return "checkPrepares(sql)";
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
            default -> "";
        };
    }

    private List<String> statementPrologue(Method method) {
        String name = method.getName();
        String open = jdbc.getSimpleName() + " physical = open()";
        if (name.startsWith("execute")) {
            boolean hasSql = method.getParameterCount() > 0;
            return List.of(hasSql ? "checkExecutes(sql)" : "checkExecutes()", open);
        }
        boolean mayWriteLargeObject = name.startsWith("set") && (name.endsWith("lob") || name.endsWith("Stream"));
        boolean works = WORKING_STATEMENT_METHODS.contains(name) || mayWriteLargeObject;
        return works ? List.of(open, "connection.works()") : List.of(open);
    }
}

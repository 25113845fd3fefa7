package dev.weir.testkit;

import java.lang.reflect.Method;
import java.sql.Array;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.ResultSet;
import java.sql.SQLClientInfoException;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.postgresql.core.BaseConnection;
import org.postgresql.core.TransactionState;

/** The connection itself. In the likeness of PostgreSQL it also tells the transaction state as pgjdbc does. */
final class StubConnection extends StubHandler {

    /** The name under which {@code getClientInfo(String)} tells the number of the session, through any handle. */
    static final String SESSION_NAME = "weir.stub.session";

    StubConnection(StubSession session) {
        super(session, Connection.class, session.database().vendorInterfaces());
    }

    Connection connection() {
        return (Connection) proxy();
    }

    @Override
    @Nullable
    Object answer(Method method, Object[] arguments) throws Throwable {
        String name = method.getName();
        if (method.getDeclaringClass() == BaseConnection.class) {
            return switch (name) {
                case "getTransactionState" -> transactionState();
                default -> usual(method, arguments);
            };
        }
        if (method.getDeclaringClass() == PGConnection.class) {
            return switch (name) {
                case "getParameterStatus" -> session().setting((String) arguments[0]);
                case "getBackendPID" -> (int) session().id();
                default -> usual(method, arguments);
            };
        }
        switch (name) {
            case "close" -> session().close();
            case "abort" -> {
                if (arguments[0] == null) {
                    throw new SQLException("the executor is null", "22023");
                }
                ((Executor) arguments[0]).execute(session()::close);
            }
            case "isClosed" -> {
                return session().isKnownDead();
            }
            case "isValid" -> {
                if ((Integer) arguments[0] < 0) {
                    throw new SQLException("the timeout is negative", "22023");
                }
                return session().isOpen();
            }
            default -> {
                return answerOpen(name, method, arguments);
            }
        }
        return null;
    }

    private @Nullable Object answerOpen(String name, Method method, Object[] arguments) throws SQLException {
        if (session().isClosed()) {
            if (name.equals("setClientInfo")) {
                throw new SQLClientInfoException("the connection is closed", "08003", Map.of());
            }
            throw new SQLException("the connection is closed", "08003");
        }
        if (Statement.class.isAssignableFrom(method.getReturnType())) {
            return StubStatement.of(session(), method, arguments).proxy();
        }
        return switch (name) {
            case "commit", "rollback", "setSavepoint", "releaseSavepoint" -> transaction(name, arguments);
            case "getMetaData" -> new StubMetaData(session()).proxy();
            case "createArrayOf" -> new StubValue(session(), Array.class).proxy();
            case "createBlob", "createClob", "createNClob", "createSQLXML" ->
                session().made(new StubValue(session(), method.getReturnType())).proxy();
            case "enquoteLiteral" -> StubStatement.enquoted((String) arguments[0]);
            case "nativeSQL" -> arguments[0];
            case "getWarnings" -> session().warning();
            default -> name.startsWith("set") ? set(name, method, arguments) : get(name, method, arguments);
        };
    }

    private @Nullable Object transaction(String name, Object[] arguments) throws SQLException {
        switch (name) {
            case "commit" -> session().commit();
            case "setSavepoint" -> {
                session().setSavepoint();
                return new StubValue(session(), Savepoint.class).proxy();
            }
            case "rollback" -> {
                if (arguments.length == 0) {
                    session().rollback();
                }
            }
            default -> session().releaseSavepoint();
        }
        return null;
    }

    @SuppressWarnings("unchecked") // the types are those of the methods of java.sql.Connection
    private @Nullable Object set(String name, Method method, Object[] arguments) throws SQLException {
        Object value = arguments[0];
        switch (name) {
            case "setAutoCommit" -> session().setAutoCommit((Boolean) value);
            case "setReadOnly" -> session().setReadOnly((Boolean) value);
            case "setTransactionIsolation" -> session().setIsolation((Integer) value);
            case "setHoldability" -> session().setHoldability((Integer) value);
            case "setNetworkTimeout" -> session().setNetworkTimeout((Integer) arguments[1]);
            case "setCatalog" -> session().setCatalog((String) value);
            case "setSchema" -> session().setSchema((String) value);
            case "setTypeMap" -> session().setTypeMap((Map<String, Class<?>>) value);
            case "setClientInfo" -> {
                if (arguments.length == 2) {
                    session().setClientInfo((String) value, (String) arguments[1]);
                } else {
                    session().setClientInfo((Properties) value);
                }
            }
            default -> {
                return usual(method, arguments);
            }
        }
        return null;
    }

    private @Nullable Object get(String name, Method method, Object[] arguments) {
        switch (name) {
            case "clearWarnings" -> {
                session().clearWarnings();
                return null;
            }
            case "getClientInfo" -> {
                if (arguments.length == 0) {
                    return session().clientInfo();
                }
                return SESSION_NAME.equals(arguments[0])
                        ? Long.toString(session().id())
                        : session().clientInfo().getProperty((String) arguments[0]);
            }
            case "getTypeMap" -> {
                return session().typeMap();
            }
            default -> {
                return getScalar(name, method, arguments);
            }
        }
    }

    private @Nullable Object getScalar(String name, Method method, Object[] arguments) {
        return switch (name) {
            case "getAutoCommit" -> session().autoCommit();
            case "isReadOnly" -> session().readOnly();
            case "getTransactionIsolation" -> session().isolation();
            case "getHoldability" -> session().holdability();
            case "getNetworkTimeout" -> session().networkTimeout();
            case "getCatalog" -> session().catalog();
            case "getSchema" -> session().schema();
            default -> usual(method, arguments);
        };
    }

    private TransactionState transactionState() {
        return switch (session().transaction()) {
            case NONE -> TransactionState.IDLE;
            case OPEN -> TransactionState.OPEN;
            case FAILED -> TransactionState.FAILED;
        };
    }

    /** The description of the database, whose result sets belong to statements that the driver made for itself. */
    private static final class StubMetaData extends StubHandler {

        StubMetaData(StubSession session) {
            super(session, DatabaseMetaData.class);
        }

        @Override
        @Nullable
        Object answer(Method method, Object[] arguments) throws SQLException {
            if (session().isClosed()) {
                throw new SQLException("the connection is closed", "08003");
            }
            if (method.getReturnType() == ResultSet.class) {
                return StubStatement.internal(session()).resultSet(List.of("a", "b"));
            }
            return switch (method.getName()) {
                case "getConnection" -> session().connection();
                case "getURL" -> session().database().url();
                case "getUserName" -> session().user();
                case "getDatabaseProductName" -> session().database().productName();
                case "getDriverName" -> session().database().driverName();
                case "getDriverVersion", "getDatabaseProductVersion" -> "1.0";
                case "getJDBCMajorVersion", "getDriverMajorVersion", "getDatabaseMajorVersion" -> 4;
                default -> usual(method, arguments);
            };
        }
    }
}

package dev.weir.internal.engine;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.postgresql.core.BaseConnection;
import org.postgresql.core.TransactionState;

/**
 * A connection that leads nowhere, and tells its transaction as PostgreSQL's driver does, so that a pool shares it. Texts
 * are not looked at.
 */
final class SharedSession {
    private static final int PROCESS = 7;

    /** To the question for what stands behind JDBC's properties. */
    private static final List<String> SETTINGS = List.of("read committed", "off", "public");

    private final AtomicInteger ended;
    private volatile boolean autoCommit = true;
    private volatile boolean open;

    /** The texts of the transaction that is open, or was last; of users alone. */
    private final List<String> texts = new CopyOnWriteArrayList<>();

    SharedSession(AtomicInteger ended) {
        this.ended = ended;
    }

    Connection connection() {
        return proxy(BaseConnection.class, (proxy, method, arguments) -> {
            switch (method.getName()) {
                case "abort", "close" -> ended.incrementAndGet();
                case "setAutoCommit" -> {
                    autoCommit = (Boolean) arguments[0];
                    endIf(autoCommit);
                }
                case "commit", "rollback" -> endIf(true);
                case "getAutoCommit" -> {
                    return autoCommit;
                }
                case "getTransactionState" -> {
                    return open ? TransactionState.OPEN : TransactionState.IDLE;
                }
                case "getBackendPID" -> {
                    return PROCESS;
                }
                case "createStatement" -> {
                    return statement(Statement.class, "");
                }
                case "prepareStatement" -> {
                    return statement(PreparedStatement.class, (String) arguments[0]);
                }
                case "getMetaData" -> {
                    return proxy(DatabaseMetaData.class, (of, asked, none) -> answer(asked));
                }
                default -> {
                    return answer(method);
                }
            }
            return null;
        });
    }

    private void endIf(boolean ends) {
        if (ends) {
            open = false;
            texts.clear();
        }
    }

    /** The texts that ran in the transaction that is open. */
    List<String> texts() {
        return List.copyOf(texts);
    }

    private <T extends Statement> T statement(Class<T> type, String prepared) {
        return proxy(type, (proxy, method, arguments) -> {
            if (!method.getName().startsWith("execute")) {
                return method.getName().equals("getUpdateCount") ? Integer.valueOf(-1) : answer(method);
            }
            String sql = arguments == null ? prepared : (String) arguments[0];
            open = !autoCommit;
            if (!sql.contains("pg_catalog.")) {
                texts.add(sql);
            }
            return method.getReturnType() == ResultSet.class ? rows(sql) : answer(method);
        });
    }

    private static ResultSet rows(String sql) {
        List<String> row =
                sql.contains("default_transaction_isolation") ? SETTINGS : List.of(Integer.toString(PROCESS));
        int[] left = {sql.contains("source = 'session'") || sql.contains("pg_locks") ? 0 : 1};
        return proxy(ResultSet.class, (proxy, method, arguments) -> switch (method.getName()) {
            case "next" -> left[0]-- > 0;
            case "getString" -> row.get((Integer) arguments[0] - 1);
            case "getMetaData" ->
                proxy(
                        ResultSetMetaData.class,
                        (of, asked, none) ->
                                asked.getName().equals("getColumnCount") ? (Object) row.size() : answer(asked));
            default -> answer(method);
        });
    }

    private static <T> T proxy(Class<T> type, InvocationHandler handler) {
        return type.cast(Proxy.newProxyInstance(SharedSession.class.getClassLoader(), new Class<?>[] {type}, handler));
    }

    private static @Nullable Object answer(Method method) {
        Class<?> type = method.getReturnType();
        if (type == boolean.class) {
            return method.getName().equals("isValid");
        }
        return type == int.class
                ? (Object) 0
                : type == String.class && method.getName().equals("toString") ? "nowhere" : null;
    }
}

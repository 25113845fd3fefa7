package dev.weir;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.invoke.WrongMethodTypeException;
import java.lang.reflect.Method;
import java.lang.reflect.UndeclaredThrowableException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import org.jspecify.annotations.Nullable;

/**
 * MariaDB's own driver and MySQL Connector/J keep the status word of the server's last answer, which says whether a
 * transaction is open and whether auto-commit is on, however either came about.
 *
 * <p>The answer to a failed statement carries no status, though the statement may have opened a transaction (a procedure
 * that began one and then failed), nor do the answers to some commands. The drivers differ in what they make of it:
 *
 * <ul>
 *   <li>MariaDB's keeps the word, and after a failure adds that a transaction is open. So the word errs on the safe side,
 *       but for rows still unread of a statement that only the holder of the unwrapped connection knows.
 *   <li>Connector/J empties the word when it sends anything, and keeps it empty after a failure (but for the transaction, if
 *       one was open before), a ping, the preparing or closing of a statement at the server, and while rows are unread. It
 *       keeps beside it what was last given to setAutoCommit(). So the word is believed where it says that auto-commit is
 *       on, which an empty one does not. Where auto-commit is off an empty word is usual, and the pool's own account of
 *       the loan decides.
 * </ul>
 */
final class MySqlDialect extends Dialect {
    private static final String MARIADB = "org.mariadb.jdbc.Connection";
    private static final String MYSQL = "com.mysql.cj.jdbc.JdbcConnection";

    private static final int IN_TRANSACTION = 1;
    private static final int AUTO_COMMIT = 1 << 1;

    private static final MethodHandles.Lookup LOOKUP = MethodHandles.publicLookup();

    /** {@code (Connection) -> int}: the status word. */
    private final MethodHandle word;

    /** {@code (Connection) -> boolean}: what Connector/J keeps of auto-commit; null where it is read from the word. */
    private final @Nullable MethodHandle keptAutoCommit;

    private MySqlDialect(MethodHandle word, @Nullable MethodHandle keptAutoCommit) {
        this.word = word;
        this.keptAutoCommit = keptAutoCommit;
    }

    /** The dialect, if this is a connection of one of the two drivers, or null. */
    static @Nullable MySqlDialect find(Class<?> connection) {
        try {
            Class<?> mariadb = typeNamed(MARIADB, connection);
            if (mariadb != null) {
                return new MySqlDialect(getter(int.class, mariadb, "getContext", "getServerStatus"), null);
            }
            Class<?> mysql = typeNamed(MYSQL, connection);
            if (mysql != null) {
                return new MySqlDialect(
                        getter(int.class, mysql, "getSession", "getServerSession", "getStatusFlags"),
                        getter(boolean.class, mysql, "getSession", "getServerSession", "isAutoCommit"));
            }
        } catch (ReflectiveOperationException | WrongMethodTypeException e) {
            // An older or altered driver: what JDBC says must do.
        }
        return null;
    }

    /** The chain of these public methods without parameters, as one function of the connection. */
    private static MethodHandle getter(Class<?> result, Class<?> connection, String... names)
            throws ReflectiveOperationException {
        MethodHandle chain = MethodHandles.identity(connection);
        Class<?> type = connection;
        for (String name : names) {
            Method method = type.getMethod(name);
            MethodType step = MethodType.methodType(method.getReturnType(), type);
            chain = MethodHandles.filterReturnValue(
                    chain, LOOKUP.unreflect(method).asType(step));
            type = method.getReturnType();
        }
        return chain.asType(MethodType.methodType(result, Connection.class));
    }

    @Override
    TransactionState transactionState(Connection physical) {
        int now = word(physical);
        if ((now & IN_TRANSACTION) != 0) {
            return TransactionState.OPEN;
        }
        boolean believed =
                (now & AUTO_COMMIT) != 0 && (keptAutoCommit == null || keptAutoCommit(keptAutoCommit, physical));
        return believed ? TransactionState.IDLE : TransactionState.UNKNOWN;
    }

    /** Unlike rollback(), the text is sent whatever auto-commit is, and whatever the driver believes of the transaction. */
    @Override
    void rollbackOpen(Connection physical) throws SQLException {
        try (Statement statement = physical.createStatement()) {
            statement.execute("ROLLBACK");
        }
        if (keptAutoCommit != null) {
            undoAutoCommitByText(physical, keptAutoCommit(keptAutoCommit, physical));
        }
    }

    /** The word is fresh here, so that it tells of an auto-commit that SQL text changed behind the driver's back. */
    private void undoAutoCommitByText(Connection physical, boolean kept) throws SQLException {
        if (kept != ((word(physical) & AUTO_COMMIT) != 0)) {
            // Both, since a driver that trusts what it keeps does not send what it believes to be so.
            physical.setAutoCommit(!kept);
            physical.setAutoCommit(kept);
        }
    }

    @Override
    void rollbackUnknown(Connection physical, boolean unwrapped) throws SQLException {
        if (unwrapped || keptAutoCommit != null) {
            rollbackOpen(physical);
        }
    }

    /** MariaDB's driver hands out the very object it keeps, and fails when told to set an entry to null. */
    @Override
    void removeClientInfo(Connection physical, String name) throws SQLException {
        if (keptAutoCommit == null) {
            physical.getClientInfo().remove(name);
        } else {
            super.removeClientInfo(physical, name);
        }
    }

    private int word(Connection physical) {
        try {
            return (int) word.invokeExact(physical);
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new UndeclaredThrowableException(e);
        }
    }

    private static boolean keptAutoCommit(MethodHandle kept, Connection physical) {
        try {
            return (boolean) kept.invokeExact(physical);
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new UndeclaredThrowableException(e);
        }
    }
}

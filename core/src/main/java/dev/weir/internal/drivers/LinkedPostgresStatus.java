package dev.weir.internal.drivers;

import java.sql.Connection;
import org.jspecify.annotations.Nullable;
import org.postgresql.core.BaseConnection;

/**
 * Asks a driver that this library sees. Compiled against PostgreSQL's driver, which need not be there: only {@link
 * PostgresStatus} makes one, once it has seen the driver. That {@link Session#load} loads the class needs none.
 */
final class LinkedPostgresStatus extends PostgresStatus {
    @Override
    TransactionState transaction(Connection physical) {
        org.postgresql.core.TransactionState state = ((BaseConnection) physical).getTransactionState();
        if (state == org.postgresql.core.TransactionState.IDLE) {
            return TransactionState.IDLE;
        }
        if (state == org.postgresql.core.TransactionState.OPEN) {
            return TransactionState.OPEN;
        }
        return state == org.postgresql.core.TransactionState.FAILED
                ? TransactionState.FAILED
                : TransactionState.UNKNOWN;
    }

    @Override
    @Nullable
    String reported(Connection physical, String name) {
        return ((BaseConnection) physical).getParameterStatus(name);
    }
}

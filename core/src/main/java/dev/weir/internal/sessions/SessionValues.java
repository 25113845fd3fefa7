package dev.weir.internal.sessions;

import java.sql.Connection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The values of a session, as the server told them before anybody had it.
 *
 * @param covers the properties of {@link Session} that {@link Dialect#restore} sets back
 * @param isolation the isolation level, as JDBC counts them
 * @param values what the dialect asked for, the isolation level first, to be set again
 * @param catalog the catalog, if it was asked for with the rest and can only be set as JDBC does; null if not
 * @param server which server it is, by its own account: address or name, port, and whether it is a standby; null if it does
 *     not say
 * @param reader whether it only reads: it is a standby, or was made read-only
 */
record SessionValues(
        int covers,
        int isolation,
        List<@Nullable String> values,
        @Nullable String catalog,
        @Nullable String server,
        boolean reader) {
    private static final Map<String, Integer> LEVELS = Map.of(
            "read uncommitted", Connection.TRANSACTION_READ_UNCOMMITTED,
            "read committed", Connection.TRANSACTION_READ_COMMITTED,
            "repeatable read", Connection.TRANSACTION_REPEATABLE_READ,
            "serializable", Connection.TRANSACTION_SERIALIZABLE);

    /** Null unless the first value is an isolation level: a server that answers otherwise is not one that the dialect knows. */
    static @Nullable SessionValues of(
            int covers,
            List<@Nullable String> values,
            @Nullable String catalog,
            @Nullable String host,
            @Nullable String port,
            boolean standby,
            boolean reader) {
        String name = values.isEmpty() ? null : values.get(0);
        Integer level =
                name == null ? null : LEVELS.get(name.toLowerCase(Locale.ROOT).replace('-', ' '));
        String server = host == null ? null : host + (port == null ? "" : ":" + port) + (standby ? " (standby)" : "");
        return level == null ? null : new SessionValues(covers, level, values, catalog, server, reader);
    }
}

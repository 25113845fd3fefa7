package dev.weir.internal.binding;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.EnumMap;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * The properties that a user set on a connection, to be set on each one of the database that it has after that. Those of one
 * loan are set back by the pool at its end, as in every mode.
 */
final class Wanted {
    /** One property of JDBC's connection. The order is that in which they are set: auto-commit last, or the others would begin a transaction. */
    enum Property {
        READ_ONLY("default_transaction_read_only"),
        ISOLATION("default_transaction_isolation"),
        CATALOG("database"),
        SCHEMA("search_path"),
        HOLDABILITY(""),
        NETWORK_TIMEOUT(""),
        TYPE_MAP(""),
        CLIENT_INFO("application_name"),
        AUTO_COMMIT("");

        /** The setting of the server behind it, which SQL text may change; empty if there is none. */
        final String setting;

        Property(String setting) {
            this.setting = setting;
        }

        /** The value that a connection has. */
        @Nullable
        Object of(Connection connection) throws SQLException {
            return switch (this) {
                case READ_ONLY -> connection.isReadOnly();
                case ISOLATION -> connection.getTransactionIsolation();
                case CATALOG -> connection.getCatalog();
                case SCHEMA -> connection.getSchema();
                case HOLDABILITY -> connection.getHoldability();
                case NETWORK_TIMEOUT -> connection.getNetworkTimeout();
                case TYPE_MAP -> {
                    Map<String, Class<?>> map = connection.getTypeMap();
                    yield map == null ? Map.of() : Map.copyOf(map);
                }
                case CLIENT_INFO -> connection.getClientInfo();
                case AUTO_COMMIT -> connection.getAutoCommit();
            };
        }
    }

    // Plain: two threads that set properties of one connection at once have no order to keep.
    private final Map<Property, @Nullable Object> values = new EnumMap<>(Property.class);
    private @Nullable Executor ofTimeout;

    boolean has(Property property) {
        return values.containsKey(property);
    }

    @Nullable
    Object get(Property property) {
        return values.get(property);
    }

    void set(Property property, @Nullable Object value) {
        values.put(property, value);
    }

    void timeoutBy(@Nullable Executor executor) {
        ofTimeout = executor;
    }

    /** SQL text changed these settings since. */
    void forget(Set<String> settings) {
        values.keySet().removeIf(property -> settings.contains(property.setting));
    }

    /** Sets all of them on this connection. */
    void applyTo(Connection connection) throws SQLException {
        for (Property property : values.keySet()) {
            if (property != Property.AUTO_COMMIT) {
                apply(property, connection);
            }
        }
        if (!values.isEmpty() && !connection.getAutoCommit()) {
            connection.commit(); // what the others began
        }
        if (has(Property.AUTO_COMMIT)) {
            apply(Property.AUTO_COMMIT, connection);
        }
    }

    @SuppressWarnings("unchecked") // each was set with a value of its type
    private void apply(Property property, Connection connection) throws SQLException {
        Object value = get(property);
        switch (property) {
            case READ_ONLY -> connection.setReadOnly(Boolean.TRUE.equals(value));
            case ISOLATION -> connection.setTransactionIsolation(number(value));
            case CATALOG -> connection.setCatalog((@Nullable String) value);
            case SCHEMA -> connection.setSchema((@Nullable String) value);
            case HOLDABILITY -> connection.setHoldability(number(value));
            case NETWORK_TIMEOUT -> connection.setNetworkTimeout(ofTimeout, number(value));
            case TYPE_MAP -> connection.setTypeMap((@Nullable Map<String, Class<?>>) value);
            case CLIENT_INFO -> {
                if (value instanceof Properties named) {
                    for (String name : named.stringPropertyNames()) {
                        connection.setClientInfo(name, named.getProperty(name));
                    }
                }
            }
            case AUTO_COMMIT -> connection.setAutoCommit(Boolean.TRUE.equals(value));
        }
    }

    private static int number(@Nullable Object value) {
        return value instanceof Integer number ? number : 0;
    }
}

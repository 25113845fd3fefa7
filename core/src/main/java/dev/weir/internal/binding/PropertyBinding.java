package dev.weir.internal.binding;

import static java.util.Objects.requireNonNull;

import dev.weir.internal.binding.Wanted.Property;
import java.sql.ClientInfoStatus;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.ResultSet;
import java.sql.SQLClientInfoException;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** The rest of a user's connection. Its properties are kept here, told without a connection of the database, and set on each that it has. */
abstract class PropertyBinding extends AbstractBinding {

    PropertyBinding(Binder binder) {
        super(binder);
    }

    /**
     * Within a transaction a property that the server has as a setting goes the way of the setting: it is read when the
     * transaction has ended, since a rollback takes it back.
     */
    private void set(Property property, @Nullable Object value, Call call) throws SQLException {
        Bound bound = binder.takes(property, value) ? enterIfBound() : enter();
        if (bound == null) {
            keep(property, value);
            return;
        }
        try {
            boolean isRead = !property.setting.isEmpty()
                    && property != Property.CATALOG
                    && bound.noteInTransaction(property.setting);
            call.on(bound.handle());
            binder.noteTaken(property);
            if (property == Property.AUTO_COMMIT && Boolean.TRUE.equals(value)) {
                bound.transactionEnded(); // by a commit
            }
            if (!isRead) {
                keep(property, value);
            }
        } finally {
            leave(bound);
        }
    }

    private void keep(Property property, @Nullable Object value) {
        wanted.set(property, value);
        if (kept.containsKey(property.setting)) {
            Map<String, String> less = new LinkedHashMap<>(kept);
            less.remove(property.setting);
            kept = less;
        }
    }

    private @Nullable Object get(Property property) throws SQLException {
        checkOpen();
        boolean unchanged = !kept.containsKey(property.setting)
                && (property.setting.isEmpty() || property == Property.CATALOG || !binder.hasSessionState());
        if (!isBound() && unchanged) {
            if (wanted.has(property)) {
                return wanted.get(property);
            }
            Object known = binder.constants.get(property.name());
            if (known != null) {
                return known == Binder.NONE ? null : known;
            }
        }
        Object told = ask(connection -> Objects.requireNonNullElse(property.of(connection), Binder.NONE));
        return told == Binder.NONE ? null : told;
    }

    @Override
    public final boolean getAutoCommit() throws SQLException {
        return (Boolean) requireNonNull(get(Property.AUTO_COMMIT));
    }

    @Override
    public final void setAutoCommit(boolean value) throws SQLException {
        set(Property.AUTO_COMMIT, value, connection -> connection.setAutoCommit(value));
    }

    @Override
    public final boolean isReadOnly() throws SQLException {
        return (Boolean) requireNonNull(get(Property.READ_ONLY));
    }

    @Override
    public final void setReadOnly(boolean value) throws SQLException {
        set(Property.READ_ONLY, value, connection -> connection.setReadOnly(value));
    }

    @Override
    public final int getTransactionIsolation() throws SQLException {
        return (Integer) requireNonNull(get(Property.ISOLATION));
    }

    @Override
    public final void setTransactionIsolation(int level) throws SQLException {
        set(Property.ISOLATION, level, connection -> connection.setTransactionIsolation(level));
    }

    @Override
    public final @Nullable String getCatalog() throws SQLException {
        return (@Nullable String) get(Property.CATALOG);
    }

    @Override
    public final void setCatalog(@Nullable String catalog) throws SQLException {
        set(Property.CATALOG, catalog, connection -> connection.setCatalog(catalog));
    }

    @Override
    public final @Nullable String getSchema() throws SQLException {
        return (@Nullable String) get(Property.SCHEMA);
    }

    @Override
    public final void setSchema(@Nullable String schema) throws SQLException {
        set(Property.SCHEMA, schema, connection -> connection.setSchema(schema));
    }

    @Override
    public final int getHoldability() throws SQLException {
        return (Integer) requireNonNull(get(Property.HOLDABILITY));
    }

    @Override
    public final void setHoldability(int holdability) throws SQLException {
        if (holdability != ResultSet.HOLD_CURSORS_OVER_COMMIT && holdability != ResultSet.CLOSE_CURSORS_AT_COMMIT) {
            throw new SQLException("holdability: " + holdability + " (expected: 1 or 2)", "22023");
        }
        set(Property.HOLDABILITY, holdability, connection -> connection.setHoldability(holdability));
    }

    @Override
    public final int getNetworkTimeout() throws SQLException {
        return (Integer) requireNonNull(get(Property.NETWORK_TIMEOUT));
    }

    @Override
    public final void setNetworkTimeout(@Nullable Executor executor, int millis) throws SQLException {
        if (millis < 0) {
            throw new SQLException("network timeout: " + millis + " ms (expected: 0 or more)", "22023");
        }
        wanted.timeoutBy(executor);
        set(Property.NETWORK_TIMEOUT, millis, connection -> connection.setNetworkTimeout(executor, millis));
    }

    /** A copy, so that to read it takes no connection. */
    @Override
    @SuppressWarnings("unchecked") // it is what getTypeMap() or setTypeMap() had
    public final Map<String, Class<?>> getTypeMap() throws SQLException {
        Object map = get(Property.TYPE_MAP);
        return map == null ? new HashMap<>() : new HashMap<>((Map<String, Class<?>>) map);
    }

    @Override
    public final void setTypeMap(@Nullable Map<String, Class<?>> map) throws SQLException {
        Map<String, Class<?>> copy = map == null ? null : new HashMap<>(map);
        set(Property.TYPE_MAP, copy, connection -> connection.setTypeMap(copy));
    }

    @Override
    public final Properties getClientInfo() throws SQLException {
        Properties all = new Properties();
        Object known = get(Property.CLIENT_INFO);
        if (binder.constants.get(Property.CLIENT_INFO.name()) instanceof Properties first) {
            all.putAll(first);
        }
        if (known instanceof Properties own) {
            all.putAll(own);
        }
        return all;
    }

    @Override
    public final @Nullable String getClientInfo(String name) throws SQLException {
        String known = getClientInfo().getProperty(name);
        if (known != null) {
            return known;
        }
        return ask(connection -> connection.getClientInfo(name)); // the driver may know names that it does not list
    }

    @Override
    public final void setClientInfo(String name, @Nullable String value) throws SQLClientInfoException {
        Properties named = new Properties();
        if (wanted.get(Property.CLIENT_INFO) instanceof Properties before) {
            named.putAll(before);
        }
        named.setProperty(name, value == null ? "" : value);
        setClientInfo(named, connection -> connection.setClientInfo(name, value));
    }

    @Override
    public final void setClientInfo(Properties properties) throws SQLClientInfoException {
        Properties copy = new Properties();
        properties.stringPropertyNames().forEach(name -> copy.setProperty(name, properties.getProperty(name)));
        setClientInfo(copy, connection -> connection.setClientInfo(copy));
    }

    private void setClientInfo(Properties all, Call call) throws SQLClientInfoException {
        try {
            set(Property.CLIENT_INFO, all, call);
        } catch (SQLClientInfoException e) {
            throw e;
        } catch (SQLException e) {
            Map<String, ClientInfoStatus> failed = new HashMap<>();
            all.stringPropertyNames().forEach(name -> failed.put(name, ClientInfoStatus.REASON_UNKNOWN));
            throw new SQLClientInfoException(e.getMessage(), e.getSQLState(), failed, e);
        }
    }

    @Override
    public final DatabaseMetaData getMetaData() throws SQLException {
        checkOpen();
        return new BindingMetaData(this);
    }

    @Override
    public final boolean isValid(int seconds) throws SQLException {
        return !isClosed() && ask(connection -> connection.isValid(seconds));
    }

    @Override
    public final <T> T unwrap(@Nullable Class<T> type) throws SQLException {
        if (type != null && type.isInstance(this)) {
            checkOpen();
            return type.cast(this);
        }
        return ask(connection -> connection.unwrap(type));
    }

    @Override
    public final boolean isWrapperFor(@Nullable Class<?> type) throws SQLException {
        checkOpen();
        return type != null && (type.isInstance(this) || ask(connection -> connection.isWrapperFor(type)));
    }

    @Override
    public final void beginRequest() throws SQLException {
        onBound(Connection::beginRequest);
    }

    @Override
    public final void endRequest() throws SQLException {
        onBound(Connection::endRequest);
    }

    /** Those of the last connection until the next call that takes one. */
    @Override
    public final @Nullable SQLWarning getWarnings() throws SQLException {
        SQLWarning[] told = {warnings};
        onBound(connection -> told[0] = connection.getWarnings());
        return told[0];
    }

    @Override
    public final void clearWarnings() throws SQLException {
        warnings = null;
        onBound(Connection::clearWarnings);
    }
}

package dev.weir.lab.stub;

import java.sql.DatabaseMetaData;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLWarning;
import java.sql.Statement;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** A physical connection that is always well. */
class StubConnection extends UnsupportedConnection {
    final Trace trace = new Trace();
    final StubDataSource source;

    private boolean autoCommit = true;
    private boolean readOnly;
    private int isolation = TRANSACTION_READ_COMMITTED;
    private int holdability = ResultSet.HOLD_CURSORS_OVER_COMMIT;
    private String catalog = "stub";
    private String schema = "public";
    private int networkTimeout;
    private final AtomicBoolean closed = new AtomicBoolean();

    StubConnection(StubDataSource source) {
        this.source = source;
    }

    @Override
    public PreparedStatement prepareStatement(String sql) {
        trace.add(Call.PREPARE);
        return new StubPreparedStatement(this, trace);
    }

    @Override
    public Statement createStatement() {
        trace.add(Call.PREPARE);
        return new StubPreparedStatement(this, trace);
    }

    @Override
    public boolean isValid(int timeout) {
        trace.add(Call.TEST);
        return !closed.get();
    }

    @Override
    public boolean isClosed() {
        return closed.get();
    }

    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            source.closed();
        }
    }

    @Override
    public void abort(Executor executor) {
        close();
    }

    @Override
    public void commit() {
        trace.add(Call.OTHER);
    }

    @Override
    public void rollback() {
        trace.add(Call.OTHER);
    }

    @Override
    public @Nullable SQLWarning getWarnings() {
        trace.add(Call.OTHER);
        return null;
    }

    @Override
    public void clearWarnings() {
        trace.add(Call.OTHER);
    }

    @Override
    public boolean getAutoCommit() {
        trace.add(Call.OTHER);
        return autoCommit;
    }

    @Override
    public void setAutoCommit(boolean autoCommit) {
        trace.add(Call.OTHER);
        this.autoCommit = autoCommit;
    }

    @Override
    public boolean isReadOnly() {
        trace.add(Call.OTHER);
        return readOnly;
    }

    @Override
    public void setReadOnly(boolean readOnly) {
        trace.add(Call.OTHER);
        this.readOnly = readOnly;
    }

    @Override
    public int getTransactionIsolation() {
        trace.add(Call.OTHER);
        return isolation;
    }

    @Override
    public void setTransactionIsolation(int level) {
        trace.add(Call.OTHER);
        this.isolation = level;
    }

    @Override
    public int getHoldability() {
        trace.add(Call.OTHER);
        return holdability;
    }

    @Override
    public void setHoldability(int holdability) {
        trace.add(Call.OTHER);
        this.holdability = holdability;
    }

    @Override
    public String getCatalog() {
        trace.add(Call.OTHER);
        return catalog;
    }

    @Override
    public void setCatalog(String catalog) {
        trace.add(Call.OTHER);
        this.catalog = catalog;
    }

    @Override
    public String getSchema() {
        trace.add(Call.OTHER);
        return schema;
    }

    @Override
    public void setSchema(String schema) {
        trace.add(Call.OTHER);
        this.schema = schema;
    }

    @Override
    public int getNetworkTimeout() {
        trace.add(Call.OTHER);
        return networkTimeout;
    }

    @Override
    public void setNetworkTimeout(@Nullable Executor executor, int milliseconds) {
        trace.add(Call.OTHER);
        this.networkTimeout = milliseconds;
    }

    @Override
    public Map<String, Class<?>> getTypeMap() {
        return Map.of();
    }

    @Override
    public void setTypeMap(Map<String, Class<?>> map) {
        trace.add(Call.OTHER);
    }

    @Override
    public Properties getClientInfo() {
        return new Properties();
    }

    @Override
    public void setClientInfo(Properties properties) {
        trace.add(Call.OTHER);
    }

    @Override
    public DatabaseMetaData getMetaData() {
        return new StubMetaData(this);
    }

    @Override
    public <T> T unwrap(Class<T> type) {
        return type.cast(this);
    }

    @Override
    public boolean isWrapperFor(Class<?> type) {
        return type.isInstance(this);
    }
}

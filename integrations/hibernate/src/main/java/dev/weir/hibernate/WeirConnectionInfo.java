package dev.weir.hibernate;

import dev.weir.PoolConfig;
import org.hibernate.dialect.DatabaseVersion;
import org.hibernate.dialect.Dialect;
import org.hibernate.engine.jdbc.connections.spi.DatabaseConnectionInfo;
import org.hibernate.engine.jdbc.env.spi.ExtractedDatabaseMetaData;
import org.jspecify.annotations.Nullable;

/**
 * What Hibernate logs at start: the configuration first, then what the driver told Hibernate. Hibernate 6.6 does not pass
 * the latter on, and asks for less. No secret is in it.
 */
final class WeirConnectionInfo implements DatabaseConnectionInfo {
    private static final String UNKNOWN = "undefined/unknown"; // Hibernate's own word

    private final PoolConfig config;
    private final Dialect dialect;
    private final @Nullable ExtractedDatabaseMetaData metaData;

    WeirConnectionInfo(PoolConfig config, Dialect dialect, @Nullable ExtractedDatabaseMetaData metaData) {
        this.config = config;
        this.dialect = dialect;
        this.metaData = metaData;
    }

    @Override
    public @Nullable String getJdbcUrl() {
        String url = config.url() != null ? config.url() : metaData == null ? null : metaData.getUrl();
        return url == null || !url.startsWith("jdbc:") ? null : withoutSecrets(url);
    }

    /** By the pool, which writes a url with its secrets masked. */
    private static String withoutSecrets(String url) {
        String text = PoolConfig.builder().url(url).build().toString();
        return text.substring(text.indexOf("jdbc:"), text.length() - 1);
    }

    @Override
    public @Nullable String getJdbcDriver() {
        if (config.driverClassName() != null) {
            return config.driverClassName();
        }
        return metaData != null ? metaData.getDriver() : config.dataSourceClassName();
    }

    @Override
    public @Nullable DatabaseVersion getDialectVersion() {
        return dialect.getVersion();
    }

    @Override
    public @Nullable String getSchema() {
        return config.schema() != null || metaData == null ? config.schema() : metaData.getConnectionSchemaName();
    }

    @Override
    public @Nullable String getCatalog() {
        return config.catalog() != null || metaData == null ? config.catalog() : metaData.getConnectionCatalogName();
    }

    @Override
    public @Nullable String getAutoCommitMode() {
        return config.autoCommit() == null ? null : config.autoCommit().toString();
    }

    @Override
    public @Nullable String getIsolationLevel() {
        Integer level = config.transactionIsolation();
        if (level == null && metaData != null) {
            level = metaData.getTransactionIsolation();
        }
        if (level == null) {
            return null;
        }
        return switch (level) {
            case 1 -> "READ_UNCOMMITTED";
            case 2 -> "READ_COMMITTED";
            case 4 -> "REPEATABLE_READ";
            case 8 -> "SERIALIZABLE";
            default -> null;
        };
    }

    @Override
    public Integer getPoolMinSize() {
        return config.minimumPoolSize();
    }

    @Override
    public Integer getPoolMaxSize() {
        return config.maximumPoolSize();
    }

    @Override
    public @Nullable Integer getJdbcFetchSize() {
        int size = metaData == null ? -1 : metaData.getDefaultFetchSize();
        return size < 0 ? null : size;
    }

    @Override
    public boolean hasSchema() {
        return metaData == null || metaData.supportsSchemas();
    }

    @Override
    public boolean hasCatalog() {
        return metaData == null || metaData.supportsCatalogs();
    }

    @Override
    public String toInfoString() {
        return """
                \tDatabase JDBC URL [%s]
                \tDatabase driver: %s
                \tDatabase dialect: %s
                \tDatabase version: %s
                \tDefault catalog/schema: %s/%s
                \tAutocommit mode: %s
                \tIsolation level: %s
                \tJDBC fetch size: %s
                \tPool: Weir
                \tMinimum pool size: %s
                \tMaximum pool size: %s""".formatted(
                        shown(getJdbcUrl()),
                        shown(getJdbcDriver()),
                        dialect.getClass().getSimpleName(),
                        shown(getDialectVersion()),
                        shown(getCatalog()),
                        shown(getSchema()),
                        config.autoCommit() == null ? "the driver's" : shown(getAutoCommitMode()),
                        shown(getIsolationLevel()),
                        shown(getJdbcFetchSize()),
                        getPoolMinSize(),
                        getPoolMaxSize());
    }

    private static String shown(@Nullable Object value) {
        return value == null ? UNKNOWN : value.toString();
    }
}

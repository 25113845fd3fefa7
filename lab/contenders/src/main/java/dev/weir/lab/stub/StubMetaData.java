package dev.weir.lab.stub;

import java.sql.Connection;

/** What a pool may ask when it opens a connection. */
final class StubMetaData extends UnsupportedDatabaseMetaData {
    private final Connection connection;

    StubMetaData(Connection connection) {
        this.connection = connection;
    }

    @Override
    public Connection getConnection() {
        return connection;
    }

    @Override
    public String getDatabaseProductName() {
        return "Stub";
    }

    @Override
    public String getDatabaseProductVersion() {
        return "1";
    }

    @Override
    public String getDriverName() {
        return "Stub";
    }

    @Override
    public String getDriverVersion() {
        return "1";
    }

    @Override
    public int getJDBCMajorVersion() {
        return 4;
    }

    @Override
    public int getJDBCMinorVersion() {
        return 3;
    }

    @Override
    public String getURL() {
        return "jdbc:stub:";
    }

    @Override
    public String getUserName() {
        return "stub";
    }

    @Override
    public boolean supportsTransactions() {
        return true;
    }
}

package dev.weir.lab.workload;

import dev.weir.lab.stub.BareDataSource;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicInteger;

/** No pool, and one of which the first instances lend nothing. */
public final class ShyDataSource extends BareDataSource {
    /** How many of them are still to come. */
    static final AtomicInteger SHY = new AtomicInteger();

    private final boolean shy = SHY.getAndDecrement() > 0;
    private String url = "";

    public void setUrl(String url) {
        this.url = url;
    }

    @Override
    public Connection getConnection() throws SQLException {
        if (shy) {
            throw new SQLException("shy, as it is meant to be", "08001");
        }
        return DriverManager.getConnection(url);
    }
}

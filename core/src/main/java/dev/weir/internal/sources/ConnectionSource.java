package dev.weir.internal.sources;

import dev.weir.internal.sockets.WatchedSockets;
import dev.weir.spi.Credentials;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Opens one physical connection, as the configuration says; blocks for as long as the driver does. Thread-safe. */
@FunctionalInterface
public interface ConnectionSource {

    Connection connect() throws SQLException;

    /**
     * A connection, and what can be looked at under it.
     *
     * @param sockets null where the source does not watch them, or the driver made its own
     */
    record Opened(Connection connection, @Nullable WatchedSockets sockets) {}

    /** Asks the CredentialsProvider, for one connect; null if there is none. Blocks for as long as that does. */
    default @Nullable Credentials credentials() throws SQLException {
        return null;
    }

    /** As {@link #connect}; {@code as}: the answer of {@link #credentials} for it. */
    default Opened open(@Nullable Credentials as) throws SQLException {
        return new Opened(connect(), null);
    }

    /** The driver's DataSource that connections come from, if the pool made one. */
    default @Nullable DataSource driverDataSource() {
        return null;
    }

    /** Whether {@link #open} tells of sockets. */
    default boolean watchesSockets() {
        return false;
    }
}

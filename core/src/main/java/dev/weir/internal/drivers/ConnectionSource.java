package dev.weir.internal.drivers;

import java.sql.Connection;
import java.sql.SQLException;

/** Opens one physical connection, as the configuration says; blocks for as long as the driver does. Thread-safe. */
@FunctionalInterface
public interface ConnectionSource {

    Connection connect() throws SQLException;
}

package dev.weir.cli.fleet;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The fleets of a database, as their tables have them at one moment. */
final class Fleets {
    /** A budget that is read from the server. */
    private static final int AUTO = 0;

    /**
     * A member's row.
     *
     * @param leaseMillis until its lease ends, by the clock of the server; negative: it has ended
     */
    record Member(
            String application,
            String instance,
            int weight,
            int guaranteed,
            int has,
            int wants,
            int granted,
            long leaseMillis) {
        boolean isLive() {
            return leaseMillis > 0;
        }
    }

    /**
     * A fleet's row, and its members by application and name.
     *
     * @param budget connections of the fleet; where they are read from the server as they were last
     */
    record Fleet(String name, int budget, boolean auto, List<Member> members) {}

    private Fleets() {}

    /**
     * Reads them all, or the one of this name, by one statement, so that they are of one moment. It locks nothing.
     *
     * @throws SQLException if there are no such tables, the user may not read them, or the database is another one
     */
    static List<Fleet> read(Connection connection, @Nullable String name) throws SQLException {
        String sql = "SELECT f.fleet, f.budget, f.places, m.application, m.instance, m.weight, m.guaranteed, m.has,"
                + " m.wants, m.granted, m.expires, f.clock, f.server_clock, " + now(connection) + " AS server_now"
                + " FROM weir_fleet f LEFT JOIN weir_fleet_member m ON m.fleet = f.fleet"
                + (name == null ? "" : " WHERE f.fleet = ?") + " ORDER BY f.fleet, m.application, m.instance";
        Map<String, Fleet> fleets = new LinkedHashMap<>();
        try (PreparedStatement query = connection.prepareStatement(sql)) {
            if (name != null) {
                query.setString(1, name);
            }
            try (ResultSet row = query.executeQuery()) {
                while (row.next()) {
                    boolean auto = row.getInt(2) == AUTO;
                    Fleet empty = new Fleet(name(row.getString(1)), row.getInt(auto ? 3 : 2), auto, new ArrayList<>());
                    Fleet fleet = fleets.computeIfAbsent(empty.name(), unseen -> empty);
                    if (row.getString(5) != null) {
                        fleet.members().add(member(row));
                    }
                }
            }
        }
        return List.copyOf(fleets.values());
    }

    private static Member member(ResultSet row) throws SQLException {
        return new Member(
                name(row.getString(4)),
                name(row.getString(5)),
                row.getInt(6),
                row.getInt(7),
                row.getInt(8),
                row.getInt(9),
                row.getInt(10),
                row.getLong(11) - fleetNow(row));
    }

    /** Leases are in the time of the fleet, which has gone on with that of the server since it was written. */
    private static long fleetNow(ResultSet row) throws SQLException {
        long serverNow = row.getLong("server_now");
        return row.getLong("clock") + Math.max(0, serverNow - row.getLong("server_clock"));
    }

    /** Names as members have them; whoever may write the table may write others, and a terminal obeys some. */
    private static String name(String text) {
        return text.replaceAll("[^A-Za-z0-9._-]", "?");
    }

    /** Milliseconds, as the members have them. */
    private static String now(Connection connection) throws SQLException {
        String product = connection.getMetaData().getDatabaseProductName();
        return switch (product) {
            case "PostgreSQL" -> "CAST(extract(epoch FROM clock_timestamp()) * 1000 AS bigint)";
            case "MariaDB", "MySQL" -> "TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(3)) DIV 1000";
            default -> throw new SQLException(product + " (expected: PostgreSQL, MariaDB or MySQL)", "0A000");
        };
    }
}

package dev.weir.fleet;

import dev.weir.WeirDataSource;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The budget of a fleet in two tables of its database, {@code weir_fleet} and {@code weir_fleet_member}. A renewal is one
 * transaction that locks the fleet's row, reads the members, lets a {@link Ledger} decide and writes the member's row;
 * where nothing has changed, one statement that locks both rows and has the member's last for longer: see {@link Settled}.
 * The row lock is all that it needs of the server: it works behind a pooler that gives out a session for a transaction.
 *
 * <p>It has a connection of its own, one place of the member's: a member whose pool is used up can ask for more, and a
 * renewal never takes a connection that a user waits for. A member without a place, as one that joins, comes through the
 * door, which is never given away: see {@link Ledger}.
 *
 * <p>A renewal that got no answer may still commit, but only for a few seconds: the client ends its connection after
 * {@value #TIMEOUT_MILLIS} ms, and the server a transaction that waits for a lock or for its client after 2 s. A row's
 * sequence number drops what comes later than the next renewal.
 */
public final class DatabaseBudget implements FleetBudget {
    static final int TIMEOUT_MILLIS = 5_000;
    private static final long MEASURE_MILLIS = 10_000;
    private static final String WRITTEN_MEANWHILE = "40001";
    private static final String READ_ONLY = "25006";

    /** More rows than any fleet has; somebody writes them to fill the memory of the members. */
    private static final int ROWS_MAX = 10_000;

    /** So often at least a member reads all rows, but all together once a second; what it tells of the fleet is not older. */
    private static final int FULL_SECONDS = 60;

    /** The fleet's clock is written when it has gone on by this, see {@link Ledger#clock}. */
    private static final long CLOCK_MILLIS = 500;

    private static final String[] COLUMNS = {
        "application",
        "weight",
        "guaranteed",
        "maximum",
        "at_once",
        "sequence",
        "has",
        "wants",
        "granted",
        "floor",
        "expires",
        "tag"
    };
    private static final String INSERT = "INSERT INTO weir_fleet_member (fleet, instance, " + String.join(", ", COLUMNS)
            + ") VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";

    private final WeirDataSource source;
    private final FleetOptions options;
    private final Ledger ledger;
    private boolean prepared; // confined to the thread that renews; whether there were tables
    private @Nullable Boolean shown; // confined to the thread that renews; whether the server shows whose a session is
    private boolean
            reads; // confined to the thread that renews; whether this user's transactions are read-only by default
    private @Nullable Settled settled; // confined to the thread that renews; null: the last one failed
    private long fullNanos; // confined to the thread that renews; when the last full one began

    /** The fleet's row, locked. */
    private record Fleet(
            int budget,
            int reserve,
            long leaseMillis,
            long forgetMillis,
            int places,
            long measured,
            long turn,
            boolean tight,
            long clock,
            long serverClock) {

        /** What of it changes. */
        boolean isWrittenAs(Fleet other) {
            boolean timely = other.clock - clock < CLOCK_MILLIS && other.serverClock >= serverClock;
            return timely
                    && places == other.places
                    && measured == other.measured
                    && turn == other.turn
                    && tight == other.tight;
        }
    }

    /** The server's time, and the rows. */
    private record Members(long serverNow, List<Row> rows) {}

    /** Renews over a pool of one connection, which is closed with it. */
    DatabaseBudget(WeirDataSource source, FleetOptions options) {
        this.source = source;
        this.options = options;
        this.ledger =
                new Ledger(options.lease().toMillis(), options.forgetAfter().toMillis());
    }

    @Override
    public Grant renew(Claim told, IntSupplier standing) throws SQLException {
        Settled before = settled;
        settled = null;
        Settled now = before == null ? null : renewSteadily(before, told);
        if (now == null) {
            fullNanos = System.nanoTime();
            now = transaction((connection, sql) -> renew(connection, sql, told, standing));
        }
        settled = now;
        return now.grant();
    }

    /** Returns null if it is to renew in full. */
    private @Nullable Settled renewSteadily(Settled before, Claim told) throws SQLException {
        Claim claim = Boolean.TRUE.equals(shown) ? told : told.withoutTag();
        long seconds = Math.max(FULL_SECONDS, before.grant().members());
        boolean mayBe =
                !reads && before.covers(claim) && System.nanoTime() - fullNanos < TimeUnit.SECONDS.toNanos(seconds);
        return mayBe && extend(before.row(), claim.sequence()) ? before.extendedBy(claim) : null;
    }

    /**
     * Renews steadily, if it may. The statement waits for the fleet's row as long as another renewal may lock it; if it comes
     * late, it only has the row for longer.
     */
    private boolean extend(Row row, long sequence) throws SQLException {
        try (Connection connection = source.getConnection()) {
            connection.setNetworkTimeout(Runnable::run, TIMEOUT_MILLIS);
            connection.setAutoCommit(true);
            try (PreparedStatement update =
                    connection.prepareStatement(FleetSql.of(connection).extend())) {
                update.setLong(1, sequence);
                update.setLong(2, ledger.rowMillis());
                update.setString(3, options.fleet());
                update.setInt(4, options.budget());
                update.setInt(5, options.leaveForOthers());
                update.setLong(6, options.lease().toMillis());
                update.setLong(7, options.forgetAfter().toMillis());
                update.setString(8, row.instance());
                update.setLong(9, row.sequence());
                update.setInt(10, row.has());
                return update.executeUpdate() == 1;
            } catch (SQLException e) {
                reads |= READ_ONLY.equals(e.getSQLState());
                if (reads || WRITTEN_MEANWHILE.equals(e.getSQLState())) { // where the default isolation is stricter
                    return false;
                }
                throw e;
            }
        }
    }

    @Override
    public void leave(String instance) throws SQLException {
        transaction((connection, sql) -> {
            delete(connection, instance);
            return instance;
        });
    }

    @Override
    public void close() {
        source.close();
    }

    /** Ends its connection, which has no place now. */
    void disconnect() {
        if (source.isRunning()) {
            source.evictAll();
        }
    }

    /** Connections of its own that it has closed or lost. */
    long ended() {
        return WeirFleet.ended(source);
    }

    /** Connections of its own that broke. */
    long dead() {
        return source.isRunning() ? WeirFleet.dead(source) : 0;
    }

    /** Connections that the server may have for this. */
    int physical() {
        return source.physicalConnections();
    }

    private interface Work<T> {
        T on(Connection connection, FleetSql sql) throws SQLException;
    }

    private <T> T transaction(Work<T> work) throws SQLException {
        try (Connection connection = source.getConnection()) {
            connection.setNetworkTimeout(Runnable::run, TIMEOUT_MILLIS);
            FleetSql sql = FleetSql.of(connection);
            try {
                return attempt(connection, sql, work);
            } catch (SQLException e) {
                if (prepared || !options.createTables() || !isWithoutTable(e)) { // a table that is lost may come back
                    throw e;
                }
                createTables(connection, sql, e);
                return attempt(connection, sql, work);
            }
        }
    }

    private <T> T attempt(Connection connection, FleetSql sql, Work<T> work) throws SQLException {
        try {
            if (shown == null) {
                reads = sql.readsByDefault(connection);
                connection.rollback();
            }
            sql.begin(connection);
            if (shown == null) {
                shown = sql.shows(connection, SessionTag.prefix(options.fleet()));
            }
            T result = work.on(connection, sql);
            connection.commit();
            prepared = true;
            end(connection, sql);
            return result;
        } catch (SQLException | RuntimeException | Error e) {
            rollback(connection, e);
            throw e;
        }
    }

    private static void end(Connection connection, FleetSql sql) {
        try {
            sql.end(connection);
        } catch (SQLException e) {
            // the renewal took effect; a connection that is dead is found so when it is used again
        }
    }

    static boolean isWithoutTable(SQLException e) {
        return "42P01".equals(e.getSQLState()) || "42S02".equals(e.getSQLState());
    }

    /** Another member may make them at the same time, and be first. */
    private void createTables(Connection connection, FleetSql sql, SQLException missing) throws SQLException {
        try {
            sql.requireNoTables(connection, options.fleet());
            connection.rollback();
            sql.createTables(connection);
        } catch (SQLException e) {
            rollback(connection, e);
            if (e.getSQLState() == null
                    || !(e.getSQLState().startsWith("23") || e.getSQLState().startsWith("42P0"))) {
                e.addSuppressed(missing);
                throw e;
            }
        }
    }

    private static void rollback(Connection connection, Throwable failure) {
        try {
            connection.rollback();
        } catch (SQLException e) {
            failure.addSuppressed(e);
        }
    }

    private Settled renew(Connection connection, FleetSql sql, Claim told, IntSupplier standing) throws SQLException {
        Claim claim = Boolean.TRUE.equals(shown) ? told : told.withoutTag();
        Fleet fleet = lock(connection, sql);
        Members members = members(connection, sql);
        long now = Ledger.clock(fleet.clock(), fleet.serverClock(), members.serverNow());
        boolean isMember =
                members.rows().stream().anyMatch(row -> row.instance().equals(claim.instance()));
        requireSame(fleet, isMember);
        int places = fleet.places();
        long measured = fleet.measured();
        if (fleet.budget() != FleetOptions.AUTO) {
            places = fleet.budget();
        } else if (measured == 0 || now - measured >= MEASURE_MILLIS) {
            measured = now;
            places = sql.places(connection, SessionTag.prefix(options.fleet())) - fleet.reserve();
            requireEnough(places);
        }
        if (!isMember) {
            requireGuarantees(places, now, members.rows(), claim);
        }
        Shown sessions = new Shown(connection, sql);
        Ledger.Outcome outcome = ledger.settle(now, places, fleet.turn(), members.rows(), claim, sessions, standing);
        if (sessions.isUnknown()) {
            shown = false;
            outcome = ledger.settle(now, places, fleet.turn(), members.rows(), told.withoutTag(), sessions, standing);
        }
        if (outcome == null) {
            throw new SQLException("fleet " + options.fleet() + ": a renewal came too late", "40001");
        }
        write(connection, sql, outcome);
        Fleet changed = new Fleet(
                fleet.budget(),
                fleet.reserve(),
                fleet.leaseMillis(),
                fleet.forgetMillis(),
                places,
                measured,
                outcome.turnMillis(),
                outcome.grant().tight(),
                now,
                members.serverNow());
        if (!fleet.isWrittenAs(changed)) {
            update(connection, changed);
        }
        return new Settled(outcome.row(), outcome.grant());
    }

    /** Asked at most once a renewal, and only where it matters. */
    private final class Shown implements Ledger.Sessions {
        private final Connection connection;
        private final FleetSql sql;
        private FleetSql.@Nullable Sessions shown;

        Shown(Connection connection, FleetSql sql) {
            this.connection = connection;
            this.sql = sql;
        }

        @Override
        public Map<String, Integer> byInstance() throws SQLException {
            return shown().byInstance();
        }

        @Override
        public int nameless() throws SQLException {
            return shown().nameless();
        }

        /** It was asked, and nothing is shown any more. */
        boolean isUnknown() {
            FleetSql.Sessions now = shown;
            return now != null && now.isUnknown();
        }

        private FleetSql.Sessions shown() throws SQLException {
            FleetSql.Sessions now = shown;
            if (now == null) {
                now = sql.sessions(connection, SessionTag.prefix(options.fleet()));
                shown = now;
            }
            return now;
        }
    }

    private Fleet lock(Connection connection, FleetSql sql) throws SQLException {
        Fleet fleet = locked(connection);
        if (fleet == null) {
            try (PreparedStatement insert = connection.prepareStatement(sql.insertFleetOnce())) {
                insert.setString(1, options.fleet());
                insert.setInt(2, options.budget());
                insert.setInt(3, options.leaveForOthers());
                insert.setLong(4, options.lease().toMillis());
                insert.setLong(5, options.forgetAfter().toMillis());
                insert.executeUpdate();
            }
            fleet = locked(connection);
        }
        if (fleet == null) {
            throw new SQLException("fleet " + options.fleet() + ": its row cannot be written", "42501");
        }
        return fleet;
    }

    private @Nullable Fleet locked(Connection connection) throws SQLException {
        try (PreparedStatement query = connection.prepareStatement(FleetSql.lockFleet())) {
            query.setString(1, options.fleet());
            try (ResultSet row = query.executeQuery()) {
                return row.next()
                        ? new Fleet(
                                row.getInt(1),
                                row.getInt(2),
                                row.getLong(3),
                                row.getLong(4),
                                row.getInt(5),
                                row.getLong(6),
                                row.getLong(7),
                                row.getInt(8) != 0,
                                row.getLong(9),
                                row.getLong(10))
                        : null;
            }
        }
    }

    /** A member that is in takes the budget that is there: an operator may change it under a running fleet. */
    private void requireSame(Fleet fleet, boolean isMember) throws SQLException {
        if (!isMember) {
            requireSame("budget", budget(fleet.budget()), budget(options.budget()));
            requireSame("leaveForOthers", fleet.reserve(), options.leaveForOthers());
        }
        requireSame("lease in ms", fleet.leaseMillis(), options.lease().toMillis());
        requireSame(
                "forgetAfter in ms", fleet.forgetMillis(), options.forgetAfter().toMillis());
    }

    private static Object budget(int places) {
        return places == FleetOptions.AUTO ? "auto" : places;
    }

    private void requireSame(String option, Object ofFleet, Object ours) throws SQLException {
        if (!ofFleet.equals(ours)) {
            throw new FleetRefusedException("fleet " + options.fleet() + ": " + option + " " + ours + " (expected: "
                    + ofFleet + ", as the others have and weir_fleet says)");
        }
    }

    private void requireEnough(int places) throws SQLException {
        if (places < 3) {
            throw new SQLException(
                    "fleet " + options.fleet() + ": the server has " + places
                            + " connections for it (expected: 3 and more)",
                    "53300");
        }
    }

    private void requireGuarantees(int places, long now, List<Row> rows, Claim claim) throws SQLException {
        Map<String, Integer> guaranteed = new HashMap<>();
        for (Row row : rows) {
            if (row.expiresMillis() > now) {
                guaranteed.merge(row.application(), row.guaranteed(), Math::max);
            }
        }
        guaranteed.merge(claim.application(), claim.guaranteed(), Math::max);
        long sum = guaranteed.values().stream().mapToLong(Integer::longValue).sum();
        int most = places - Ledger.door(places);
        if (sum > most) {
            throw new FleetRefusedException("fleet " + options.fleet() + ": " + sum + " connections are guaranteed "
                    + guaranteed + " (expected: at most " + most + ", the budget, " + places + ", less "
                    + (places - most)
                    + " for members that join)");
        }
    }

    private Members members(Connection connection, FleetSql sql) throws SQLException {
        List<Row> rows = new ArrayList<>();
        long serverNow = 0;
        try (PreparedStatement query = connection.prepareStatement(sql.members(COLUMNS))) {
            query.setString(1, options.fleet());
            query.setMaxRows(ROWS_MAX + 1);
            try (ResultSet row = query.executeQuery()) {
                while (row.next()) {
                    serverNow = row.getLong(1);
                    String instance = row.getString(2);
                    if (instance != null) {
                        rows.add(row(instance, row));
                    }
                }
            }
        }
        if (rows.size() > ROWS_MAX) {
            throw new SQLException(
                    "fleet " + options.fleet() + ": weir_fleet_member has more than " + ROWS_MAX
                            + " rows of it (expected: one for each member)",
                    "54000");
        }
        return new Members(serverNow, rows);
    }

    /** A tag of another form is of another version, and none here: what is counted by tags would not count its sessions. */
    private Row row(String instance, ResultSet row) throws SQLException {
        boolean counted = (SessionTag.prefix(options.fleet()) + instance).equals(row.getString(14));
        return new Row(
                row.getString(3),
                instance,
                row.getInt(4),
                row.getInt(5),
                row.getInt(6),
                row.getInt(7),
                row.getLong(8),
                row.getInt(9),
                row.getInt(10),
                row.getInt(11),
                row.getInt(12),
                row.getLong(13),
                counted ? row.getString(14) : null);
    }

    private void write(Connection connection, FleetSql sql, Ledger.Outcome outcome) throws SQLException {
        for (Map.Entry<String, Integer> less : outcome.less().entrySet()) {
            if (less.getValue() == 0) {
                delete(connection, less.getKey());
            } else {
                lower(connection, less.getKey(), less.getValue());
            }
        }
        Row row = outcome.row();
        try (PreparedStatement upsert = connection.prepareStatement(sql.upsert(INSERT, COLUMNS))) {
            upsert.setString(1, options.fleet());
            upsert.setString(2, row.instance());
            upsert.setString(3, row.application());
            upsert.setInt(4, row.weight());
            upsert.setInt(5, row.guaranteed());
            upsert.setInt(6, row.maximum());
            upsert.setInt(7, row.atOnce());
            upsert.setLong(8, row.sequence());
            upsert.setInt(9, row.has());
            upsert.setInt(10, row.wants());
            upsert.setInt(11, row.granted());
            upsert.setInt(12, row.floor());
            upsert.setLong(13, row.expiresMillis());
            upsert.setString(14, row.tag());
            upsert.executeUpdate();
        }
    }

    private void lower(Connection connection, String instance, int has) throws SQLException {
        try (PreparedStatement update =
                connection.prepareStatement("UPDATE weir_fleet_member SET has = ? WHERE fleet = ? AND instance = ?")) {
            update.setInt(1, has);
            update.setString(2, options.fleet());
            update.setString(3, instance);
            update.executeUpdate();
        }
    }

    private void delete(Connection connection, String instance) throws SQLException {
        try (PreparedStatement delete =
                connection.prepareStatement("DELETE FROM weir_fleet_member WHERE fleet = ? AND instance = ?")) {
            delete.setString(1, options.fleet());
            delete.setString(2, instance);
            delete.executeUpdate();
        }
    }

    private void update(Connection connection, Fleet fleet) throws SQLException {
        try (PreparedStatement update = connection.prepareStatement("UPDATE weir_fleet SET places = ?, measured = ?,"
                + " turn = ?, tight = ?, clock = ?, server_clock = ? WHERE fleet = ?")) {
            update.setInt(1, fleet.places());
            update.setLong(2, fleet.measured());
            update.setLong(3, fleet.turn());
            update.setInt(4, fleet.tight() ? 1 : 0);
            update.setLong(5, fleet.clock());
            update.setLong(6, fleet.serverClock());
            update.setString(7, options.fleet());
            update.executeUpdate();
        }
    }
}

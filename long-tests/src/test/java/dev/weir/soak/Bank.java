package dev.weir.soak;

import dev.weir.testkit.Await;
import dev.weir.testkit.servers.PostgresServer;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Accounts in a database, and a ledger of what was done to them here. A transfer writes a row of its own in the transaction
 * that moves the money, so that the row says later whether the transaction was committed where the answer to commit() was
 * lost.
 */
final class Bank {
    private static final int ACCOUNTS = 16;
    private static final long OPENING_BALANCE = 100_000;
    private static final Duration QUIET_LIMIT = Duration.ofSeconds(15);

    private enum Outcome {
        NOT_COMMITTED,
        UNKNOWN,
        COMMITTED
    }

    /** Money on its way. Its thread alone changes it. */
    static final class Transfer {
        final long token;
        final int from;
        final int to;
        final int amount;
        private volatile Outcome outcome = Outcome.NOT_COMMITTED;

        Transfer(long token, int from, int to, int amount) {
            this.token = token;
            this.from = from;
            this.to = to;
            this.amount = amount;
        }
    }

    private final PostgresServer server;
    private final AtomicLong tokens = new AtomicLong();
    private final AtomicLong committed = new AtomicLong();
    private final AtomicLong lost = new AtomicLong();
    private final Map<Long, Transfer> ledger = new ConcurrentHashMap<>();
    private final long[] balances = new long[ACCOUNTS];

    Bank(PostgresServer server) {
        this.server = server;
        Arrays.fill(balances, OPENING_BALANCE);
        // One schema, since getSchema() tells the first only: what a pool goes back to where it could not ask for all.
        server.execute("ALTER ROLE " + Soak.USER + " SET search_path = public");
        server.execute("CREATE SCHEMA bank");
        server.execute("CREATE SCHEMA elsewhere");
        server.execute("CREATE TABLE bank.account (id int PRIMARY KEY, balance bigint NOT NULL)");
        server.execute("CREATE TABLE bank.transfer (token bigint PRIMARY KEY)");
        server.execute("INSERT INTO bank.account SELECT i, " + OPENING_BALANCE + " FROM generate_series(0, "
                + (ACCOUNTS - 1) + ") i");
        server.execute("GRANT USAGE ON SCHEMA bank, elsewhere TO PUBLIC");
        server.execute("GRANT ALL ON ALL TABLES IN SCHEMA bank TO PUBLIC");
    }

    Transfer draw(SplittableRandom random) {
        int from = random.nextInt(ACCOUNTS);
        int to = (from + 1 + random.nextInt(ACCOUNTS - 1)) % ACCOUNTS;
        return new Transfer(tokens.incrementAndGet(), from, to, 1 + random.nextInt(100));
    }

    /** Moves money in a transaction of its own; {@code bySwitch}: commits by switching auto-commit on. */
    void transfer(Connection connection, Transfer transfer, boolean bySwitch) throws SQLException {
        ledger.put(transfer.token, transfer);
        connection.setAutoCommit(false);
        boolean upwards = transfer.from < transfer.to; // always the lower account first, or transfers would deadlock
        add(connection, upwards ? transfer.from : transfer.to, upwards ? -transfer.amount : transfer.amount);
        add(connection, upwards ? transfer.to : transfer.from, upwards ? transfer.amount : -transfer.amount);
        try (PreparedStatement statement = connection.prepareStatement("INSERT INTO bank.transfer VALUES (?)")) {
            statement.setLong(1, transfer.token);
            statement.executeUpdate();
        }
        transfer.outcome = Outcome.UNKNOWN;
        if (bySwitch) {
            connection.setAutoCommit(true);
        } else {
            connection.commit();
        }
        transfer.outcome = Outcome.COMMITTED;
        committed.incrementAndGet();
    }

    /** Half of a transfer: money that appears or vanishes, unless the transaction is rolled back. */
    static void add(Connection connection, int account, long amount) throws SQLException {
        String sql = "UPDATE bank.account SET balance = balance + ? WHERE id = ?";
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setLong(1, amount);
            statement.setInt(2, account);
            statement.executeUpdate();
        }
    }

    /** Compares the database with the ledger, and begins a new one. Nobody may be at work; what is still under way at the server is awaited. */
    void audit() throws SQLException {
        Await.await(
                "no transaction is open at the server",
                QUIET_LIMIT,
                () -> server.number("SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend'"
                                + " AND pid <> pg_backend_pid() AND state <> 'idle'")
                        == 0);
        try (Connection connection = server.connect();
                Statement statement = connection.createStatement()) {
            post(tokensIn(statement));
            compare(statement);
            statement.execute("TRUNCATE bank.transfer");
        }
        ledger.clear();
    }

    private static Set<Long> tokensIn(Statement statement) throws SQLException {
        Set<Long> present = new HashSet<>();
        try (ResultSet rows = statement.executeQuery("SELECT token FROM bank.transfer")) {
            while (rows.next()) {
                present.add(rows.getLong(1));
            }
        }
        return present;
    }

    private void post(Set<Long> present) {
        for (Transfer transfer : ledger.values()) {
            boolean there = present.remove(transfer.token);
            if (transfer.outcome == Outcome.UNKNOWN) {
                lost.incrementAndGet();
            } else if (there != (transfer.outcome == Outcome.COMMITTED)) {
                throw new AssertionError("transfer " + transfer.token + " was " + transfer.outcome + ", and its row is "
                        + (there ? "there" : "not there"));
            }
            if (there) {
                balances[transfer.from] -= transfer.amount;
                balances[transfer.to] += transfer.amount;
            }
        }
        if (!present.isEmpty()) {
            throw new AssertionError("rows of transfers that nobody made: " + present);
        }
    }

    private void compare(Statement statement) throws SQLException {
        long[] found = new long[ACCOUNTS];
        try (ResultSet rows = statement.executeQuery("SELECT id, balance FROM bank.account")) {
            while (rows.next()) {
                found[rows.getInt(1)] = rows.getLong(2);
            }
        }
        if (!Arrays.equals(found, balances) || Arrays.stream(found).sum() != ACCOUNTS * OPENING_BALANCE) {
            throw new AssertionError(
                    "the accounts hold " + Arrays.toString(found) + " and should hold " + Arrays.toString(balances));
        }
    }

    long committed() {
        return committed.get();
    }

    /** How many commits had an outcome that only the database knew. */
    long lost() {
        return lost.get();
    }
}

package dev.weir.fleet;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.function.IntSupplier;

/** The tables in memory: a renewal is one step, as the transaction is that locks the fleet's row. */
final class MemoryTable {
    final int budget;
    final TreeMap<String, Row> rows = new TreeMap<>();
    private final Ledger ledger;
    private long turnMillis;
    private boolean tight;
    private long clock;
    private long serverClock;
    long steady;

    MemoryTable(int budget, Ledger ledger) {
        this.budget = budget;
        this.ledger = ledger;
    }

    /** {@code last}: what the member's renewal before came to, if it was answered. Returns null if the claim came late. */
    Settled renew(long serverNow, Claim claim, Ledger.Sessions sessions, IntSupplier standing, Settled last) {
        if (last != null && last.covers(claim) && isAsLeft(last.row(), serverNow)) {
            long expires = clock + serverNow - serverClock + ledger.rowMillis();
            rows.computeIfPresent(claim.instance(), (name, row) -> row.extended(claim.sequence(), expires));
            steady++;
            return last.extendedBy(claim);
        }
        Ledger.Outcome outcome;
        try {
            List<Row> all = new ArrayList<>(rows.values());
            clock = Ledger.clock(clock, serverClock, serverNow);
            serverClock = serverNow;
            outcome = ledger.settle(clock, budget, turnMillis, all, claim, sessions, standing);
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
        if (outcome == null) {
            return null;
        }
        outcome.less()
                .forEach((instance, has) ->
                        rows.computeIfPresent(instance, (name, row) -> has == 0 ? null : withHas(row, has)));
        rows.put(claim.instance(), outcome.row());
        turnMillis = outcome.turnMillis();
        tight = outcome.grant().tight();
        return new Settled(outcome.row(), outcome.grant());
    }

    private boolean isAsLeft(Row left, long serverNow) {
        Row row = rows.get(left.instance());
        long passed = serverNow - serverClock;
        return !tight
                && passed >= 0
                && passed <= Ledger.FRESH_MILLIS
                && row != null
                && row.sequence() == left.sequence()
                && row.has() == left.has()
                && row.expiresMillis() > clock + passed;
    }

    private static Row withHas(Row row, int has) {
        return new Row(
                row.application(),
                row.instance(),
                row.weight(),
                row.guaranteed(),
                row.maximum(),
                row.atOnce(),
                row.sequence(),
                has,
                row.wants(),
                row.granted(),
                row.floor(),
                row.expiresMillis(),
                row.tag());
    }

    long clock() {
        return clock;
    }

    /** Time passes, while others renew. */
    void pass(long millis) {
        clock += clock == 0 ? 0 : millis;
        serverClock += clock == 0 ? 0 : millis;
    }

    @Override
    public String toString() {
        return rows.values() + " " + clock + " " + turnMillis + (tight ? " tight" : "");
    }

    /** What a standby has that is behind. */
    MemoryTable copy() {
        MemoryTable copy = new MemoryTable(budget, ledger);
        copy.become(this);
        return copy;
    }

    void become(MemoryTable other) {
        rows.clear();
        rows.putAll(other.rows);
        turnMillis = other.turnMillis;
        tight = other.tight;
        clock = other.clock;
        serverClock = other.serverClock;
    }

    void leave(String instance) {
        rows.remove(instance);
    }

    int promised() {
        return rows.values().stream().mapToInt(Row::has).sum();
    }
}

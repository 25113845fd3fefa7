package dev.weir.fleet;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The tables in memory: a renewal is one step, as the transaction is that locks the fleet's row. */
final class MemoryTable {
    final int budget;
    final TreeMap<String, Row> rows = new TreeMap<>();
    private final Ledger ledger;
    private long turnMillis;

    MemoryTable(int budget, Ledger ledger) {
        this.budget = budget;
        this.ledger = ledger;
    }

    /** Returns null if the claim came late. */
    Grant renew(long nowMillis, Claim claim, Map<String, Integer> sessions) {
        Ledger.Outcome outcome;
        try {
            List<Row> all = new ArrayList<>(rows.values());
            outcome = ledger.settle(nowMillis, budget, turnMillis, all, claim, () -> sessions);
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
        return outcome.grant();
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

    void leave(String instance) {
        rows.remove(instance);
    }

    int promised() {
        return rows.values().stream().mapToInt(Row::has).sum();
    }
}

package dev.weir.fleet;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The decision of one renewal: from the rows of a fleet and a claim, what the member's row becomes and what it is told.
 * It runs inside the one transaction that has locked the fleet. It has no state and reads no clock; times are of the
 * fleet's own clock, see {@link #clock}.
 *
 * <p><b>Invariant.</b> {@code has} is a promise: a member never has more connections than its row says, those under way
 * included. A renewal raises {@code has} only by places that nobody holds, in the same transaction, before the member
 * is told. It lowers {@code has} only to what the member says that it has left, and by no session that the server still
 * shows. So the sum over the rows never
 * passes the budget less the door, if answers are lost, late or never come.
 *
 * <p><b>The door</b> is what the rows never promise: {@link #door} places for connections that renew without a place,
 * of a member that joins, or that has come back after its places were given to others. Such a connection asks, and if
 * there is no place for it the answer is a ceiling of 0 and it is closed at once: it is at the server for one
 * transaction. It cannot starve, since it waits for no place. As many as the door is wide may ask at the same moment;
 * their renewals are spread over time, see {@link Grant#renewAfterMillis}.
 *
 * <p><b>A row whose lease has ended</b> is of a member that died, is paused or cut off; nobody can know which. Its gate
 * ({@link Pledge}) opens nothing then, except up to its {@code floor}; but a connect may have passed the gate
 * just before a pause. So the row holds the sessions that the server shows, those that may be its own under another
 * name, plus the connects that it may have under way, at least the floor, at most {@code has}. Where the server shows
 * no sessions it holds {@code has}. After {@code forget} it holds what the server shows, or nothing. What it no longer
 * holds is taken off its {@code has}. A row is kept for {@link #STEP_MILLIS} longer than its member counts on, twice: two
 * steps of the server's clock within a lease end none too early.
 *
 * <p><b>Shares.</b> First each application gets what it wants of its guaranteed places, then the rest is shared by
 * weight, max-min; inside an application equally. Of what nobody wants half of the budget stays free for the next
 * burst, and members keep the rest of what they have.
 */
public final class Ledger {
    /** Of the budget, this part stays free while nobody wants it. */
    private static final int FREE_PART = 2;

    /** So long one connect may take when the members come back after an outage one by one. */
    private static final long TURN_MILLIS = 10;

    private static final int TURN_PLACES = 20;
    private static final long PAUSE_MAX_MILLIS =
            5_000; // of turns too: a queue of them that grew would outlast its cause

    /** The most that the fleet's clock goes on between two renewals, by which a step of the server's clock moves it. */
    static final long STEP_MILLIS = 2_000;

    private final long leaseMillis;
    private final long forgetMillis;

    /** What the server shows, of one moment, without the session that asks. It may be asked more than once. */
    public interface Sessions {
        /** Returns the sessions of each instance; of those that are no members any more too. */
        Map<String, Integer> byInstance() throws SQLException;

        /** Returns how many sessions without a tag there are that may be of members: a user may rename his session. */
        int nameless() throws SQLException;
    }

    /**
     * What a renewal comes to.
     *
     * @param row the row to write
     * @param grant the answer
     * @param less what rows of other instances have from now on, since their leases have ended; 0: the row is to be
     *     deleted
     * @param turnMillis when the next member that comes back may open
     */
    public record Outcome(Row row, Grant grant, Map<String, Integer> less, long turnMillis) {}

    /** Leases of these lengths, in milliseconds. */
    public Ledger(long leaseMillis, long forgetMillis) {
        this.leaseMillis = leaseMillis;
        this.forgetMillis = forgetMillis;
    }

    /** Since the clock was written so long ago no renewal is steady: some are to write it while it goes on as it should. */
    static final long FRESH_MILLIS = STEP_MILLIS / 2;

    /** How long a row is kept after it was written, by the fleet's clock. */
    long rowMillis() {
        return leaseMillis + 2 * STEP_MILLIS;
    }

    /**
     * The places of a budget that are for nobody: for connections that ask whether there is a place for them. The sum of
     * what members may have is at most the budget less this.
     */
    public static int door(int budget) {
        return 1 + budget / 50;
    }

    /**
     * Tells the fleet's time. It goes on as the server's clock does between two renewals, but never back, and by {@value
     * #STEP_MILLIS} ms at most: where nobody renewed for longer, or the server's clock was set, or a standby with
     * another clock took over, it is slow. A lease may last longer for that; none ends early by more than a step.
     *
     * @param clock the fleet's time as it was written last; 0: never
     * @param serverThen the server's time then
     * @param serverNow the server's time now, read after the fleet was locked
     */
    public static long clock(long clock, long serverThen, long serverNow) {
        return clock == 0 ? serverNow : clock + Math.max(0, Math.min(STEP_MILLIS, serverNow - serverThen));
    }

    /**
     * Decides.
     *
     * @param now the fleet's time
     * @param budget places of the fleet
     * @param turnMillis of the outcome before
     * @param rows of all members, in the same order each time
     * @param standing asked after {@code sessions}, see {@link FleetBudget#renew}
     * @return null if the claim is older than one that was settled, and must have no effect
     * @throws SQLException if the sessions cannot be read
     */
    public @Nullable Outcome settle(
            long now, int budget, long turnMillis, List<Row> rows, Claim claim, Sessions sessions, IntSupplier standing)
            throws SQLException {
        Settling settling = new Settling(now, budget, rows, claim, sessions, standing);
        if (settling.own != null && claim.sequence() <= settling.own.sequence()) {
            return null;
        }
        return settling.settle(turnMillis);
    }

    private final class Settling {
        final long now;
        final int budget;
        final List<Row> rows;
        final Claim claim;
        final Sessions sessions;
        final IntSupplier standing;
        final @Nullable Row own;

        Settling(long now, int budget, List<Row> rows, Claim claim, Sessions sessions, IntSupplier standing) {
            this.now = now;
            this.budget = budget;
            this.rows = rows;
            this.claim = claim;
            this.sessions = sessions;
            this.standing = standing;
            this.own = rows.stream()
                    .filter(row -> row.instance().equals(claim.instance()))
                    .findFirst()
                    .orElse(null);
        }

        Outcome settle(long turnMillis) throws SQLException {
            int has = ownPromise();
            Row asked = rowOf(has, 0, 0);
            List<Row> live = live(asked);
            int capacity = Math.max(0, budget - door(budget) - heldByExpired());
            int share = shareOf(live, live.indexOf(asked), capacity);
            int ceiling = share <= has ? share : Math.min(share, has + growth(has));
            int promise = Math.max(has, ceiling);
            boolean asks = share > has || claim.open() + claim.unended() >= ceiling; // else it lacks no place
            int unended = asks ? ending() : claim.unended();
            long turn = Math.max(now, turnMillis);
            boolean waits = claim.recovering();
            long pause = waits ? Math.min(PAUSE_MAX_MILLIS, turn - now) : 0;
            long next = waits
                    ? Math.min(now + PAUSE_MAX_MILLIS, turn + TURN_MILLIS * Math.min(TURN_PLACES, promise))
                    : turnMillis;
            int floor = floorOf(live);
            int free = Math.max(0, budget - door(budget) - heldByOthers(false) - promise);
            boolean tight = isTight(live, capacity, free);
            Grant grant = new Grant(ceiling, promise, unended, share, floor, pause, budget, free, live.size(), tight);
            // Until the answer is there the member goes by the floor that it knows.
            Row row = rowOf(promise, share, Math.max(floor, claim.floor()));
            return new Outcome(row, grant, less(), next);
        }

        /** The members that count, the asking one where its row stands, or at the end. */
        private List<Row> live(Row asked) {
            List<Row> live = new ArrayList<>();
            for (Row row : rows) {
                if (isOwn(row)) {
                    live.add(asked);
                } else if (isLive(row)) {
                    live.add(row);
                }
            }
            if (own == null) {
                live.add(asked);
            }
            return live;
        }

        private int heldByExpired() throws SQLException {
            int held = 0;
            for (Row row : rows) {
                held += isOwn(row) || isLive(row) ? 0 : held(row);
            }
            return held;
        }

        /** {@code exact}: with the sessions that the server still shows of those who have given places back. */
        private int heldByOthers(boolean exact) throws SQLException {
            int held = 0;
            for (Row row : rows) {
                if (!isOwn(row)) {
                    held += isLive(row) ? Math.max(row.has(), exact ? shown(row.tag(), row.instance()) : 0) : held(row);
                }
            }
            return held;
        }

        private int growth(int has) throws SQLException {
            int own = Math.max(
                    has, shown(claim.tag(), claim.instance()) + Math.min(1, has)); // the one that asks is not shown
            return Math.max(0, budget - door(budget) - heldByOthers(true) - ofNoMember() - own);
        }

        /**
         * The most sessions that the member has given up and the server has not: the network was cut, or it is slow. What
         * stands was there before the server was asked, so it is among the sessions that it shows. Of the others some may
         * be of connects and closes under way, which cannot be told from it.
         */
        private int ending() throws SQLException {
            int most = claim.unended();
            int shown = most == 0 ? 0 : shown(claim.tag(), claim.instance()); // without the one that asks
            return shown == 0 ? 0 : Math.min(most, Math.max(0, shown - standing.getAsInt()));
        }

        /** Sessions of members that have left, which the server has not ended yet. */
        private int ofNoMember() throws SQLException {
            if (claim.tag() == null) {
                return 0;
            }
            Map<String, Integer> left = new TreeMap<>(sessions.byInstance());
            left.remove(claim.instance());
            rows.forEach(row -> left.remove(row.instance()));
            return left.values().stream().mapToInt(Integer::intValue).sum();
        }

        private Map<String, Integer> less() throws SQLException {
            Map<String, Integer> less = new TreeMap<>();
            for (Row row : rows) {
                if (isOwn(row) || isLive(row)) {
                    continue;
                }
                int held = held(row);
                if (held < row.has() && held > 0) {
                    less.put(row.instance(), held);
                } else if (held == 0 && isForgotten(row)) {
                    less.put(row.instance(), 0);
                }
            }
            return less;
        }

        /**
         * The most the member has, as far as it may count on it: what it says, but not more than its row held for it,
         * since others may have got the difference.
         */
        private int ownPromise() throws SQLException {
            if (own == null) {
                return existing();
            }
            if (isLive(own)) {
                int most = Math.max(Math.min(claim.has(), own.has()), claim.open());
                return most >= own.has() ? most : Math.max(most, Math.min(own.has(), claim.open() + ending()));
            }
            int most = Math.max(claim.has(), Math.min(own.has(), claim.open() + ending()));
            int bounded = Math.min(most, held(own));
            return isForgotten(own) ? Math.max(bounded, existing()) : bounded;
        }

        /** Of what the member says is open, what the server has too, the session that asks included. */
        private int existing() throws SQLException {
            int open = claim.open();
            return claim.tag() == null ? open : Math.min(open, shown(claim.tag(), claim.instance()) + 1);
        }

        private Row rowOf(int has, int share, int floor) {
            return new Row(
                    claim.application(),
                    claim.instance(),
                    claim.weight(),
                    claim.guaranteed(),
                    claim.maximum(),
                    claim.atOnce(),
                    claim.sequence(),
                    has,
                    claim.wants(),
                    share,
                    floor,
                    now + rowMillis(),
                    claim.tag());
        }

        private boolean isOwn(Row row) {
            return row.instance().equals(claim.instance());
        }

        private boolean isLive(Row row) {
            return row.expiresMillis() > now;
        }

        private boolean isForgotten(Row row) {
            return row.expiresMillis() + forgetMillis <= now;
        }

        /** Sessions of a member at the server; one lives a little longer than its socket. */
        private int shown(@Nullable String tag, String instance) throws SQLException {
            return tag == null ? 0 : sessions.byInstance().getOrDefault(instance, 0);
        }

        /** The places of a member whose lease has ended that nobody else may have. */
        private int held(Row row) throws SQLException {
            int shown = shown(row.tag(), row.instance());
            if (isForgotten(row)) {
                return shown;
            }
            if (row.tag() == null) {
                return row.has();
            }
            int most = shown + sessions.nameless() + row.atOnce();
            return Math.min(Math.max(row.has(), shown), Math.max(most, row.floor()));
        }

        /** The guaranteed places of one instance of the application, for when it cannot ask. */
        private int floorOf(List<Row> live) {
            long siblings = live.stream()
                    .filter(row -> row.application().equals(claim.application()))
                    .count();
            return (int) Math.min(claim.maximum(), claim.guaranteed() / siblings);
        }
    }

    private static boolean isTight(List<Row> live, int capacity, int free) {
        long wanted = live.stream().mapToLong(Ledger::demand).sum();
        return 4 * wanted > 3L * capacity || 4L * free < capacity;
    }

    private static int demand(Row row) {
        return Math.min(row.wants(), row.maximum());
    }

    /** What the member at this place should have: the shares of what is wanted, and its part of what is not. */
    private static int shareOf(List<Row> live, int own, int capacity) {
        int[] shares = wantedShares(live, capacity);
        int left = capacity;
        int[] keeps = new int[shares.length];
        int[] equal = new int[shares.length];
        for (int i = 0; i < shares.length; i++) {
            left -= shares[i];
            Row row = live.get(i);
            keeps[i] = Math.max(0, Math.min(row.has(), row.maximum()) - shares[i]);
            equal[i] = 1;
        }
        int spare = Math.min(left, capacity / FREE_PART);
        int kept = Shares.fill(left - spare, keeps, equal)[own];
        int room = spare / (2 * shares.length); // to grow into without asking
        int most = live.get(own).maximum();
        return Math.min(most, shares[own] + Math.max(kept, room));
    }

    private static int[] wantedShares(List<Row> live, int capacity) {
        Map<String, List<Integer>> applications = new TreeMap<>();
        for (int i = 0; i < live.size(); i++) {
            applications
                    .computeIfAbsent(live.get(i).application(), a -> new ArrayList<>())
                    .add(i);
        }
        int n = applications.size();
        int[] sure = new int[n];
        int[] more = new int[n];
        int[] weights = new int[n];
        int at = 0;
        for (List<Integer> members : applications.values()) {
            int wanted = 0;
            int guaranteed = 0;
            for (int i : members) {
                wanted += demand(live.get(i));
                guaranteed = Math.max(guaranteed, live.get(i).guaranteed());
                weights[at] = Math.max(weights[at], live.get(i).weight());
            }
            sure[at] = Math.min(wanted, guaranteed);
            more[at] = wanted - sure[at];
            at++;
        }
        int[] first = Shares.fill(capacity, sure, weights);
        int left = capacity;
        for (int part : first) {
            left -= part;
        }
        int[] second = Shares.fill(left, more, weights);
        int[] shares = new int[live.size()];
        at = 0;
        for (List<Integer> members : applications.values()) {
            divide(first[at] + second[at], members, live, shares);
            at++;
        }
        return shares;
    }

    /** Equally, inside an application. */
    private static void divide(int places, List<Integer> members, List<Row> live, int[] shares) {
        int[] wants = new int[members.size()];
        int[] equal = new int[members.size()];
        for (int k = 0; k < wants.length; k++) {
            wants[k] = demand(live.get(members.get(k)));
            equal[k] = 1;
        }
        int[] parts = Shares.fill(places, wants, equal);
        for (int k = 0; k < parts.length; k++) {
            shares[members.get(k)] = parts[k];
        }
    }
}

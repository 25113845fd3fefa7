package dev.weir.fleet;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.Set;

/**
 * A fleet in virtual time: the real {@link Ledger} and {@link Pledge}, with a server, networks and JVMs that fail. Each
 * choice comes from the seed. After each step the server may not have more than the budget, nor may the rows promise
 * more than the budget less the door.
 *
 * <p>A session is counted at the server from the moment that its connect has passed the gate until the server has ended
 * it: a connect that hangs anywhere in between is under way. The connection that renews is counted in the same way, that of
 * a member without a place too, or whose connection before broke and may still be there; of those, as many ask at a time
 * as the door is wide. While a network is cut no connect comes through it. A renewal takes effect within a
 * minute or never: client and server both give the transaction up, see {@link DatabaseBudget}. The server's clock is set
 * by up to a day, at most twice within a lease. A server that restarts ends all sessions, and may be a standby that lacks
 * the last commits; a member notices that its connections are dead before it opens another. Where the server does not
 * show whose a session is, it ends each as soon as the client does, as nobody could see it linger; and so it does for a member
 * that is cut off in the half of the worlds where users rename sessions, since what lingers is seen only in part then.
 * In both no pause is so long that a member is forgotten, with sessions that nobody knows to be its own.
 */
final class Simulation {
    static final long LEASE = 30_000;
    static final long FORGET = 120_000;
    private static final int AT_ONCE = 3;

    final Random random;
    final MemoryTable table;
    final List<Member> members = new ArrayList<>();
    private final PriorityQueue<Step> steps = new PriorityQueue<>();
    private final boolean tagged;
    private final boolean renames;
    private final int target;
    private final int applications;
    private long tableOffset;
    private long clockSetAt = -LEASE;
    private MemoryTable standby;
    long now;
    long done;
    private long order;
    private int born;
    private boolean quiet;

    // the server
    private final Map<String, Integer> shown = new HashMap<>();
    private int nameless;
    private int era; // sessions of one before have ended
    private int asking; // sessions that no row promises
    private final Set<Session> all = new LinkedHashSet<>(); // that have not ended, of this era
    int atServer;
    int mostAtServer;
    int clockSteps;
    int failovers;

    private record Step(long at, long order, Runnable action) implements Comparable<Step> {
        @Override
        public int compareTo(Step other) {
            return at != other.at ? Long.compare(at, other.at) : Long.compare(order, other.order);
        }
    }

    /** {@code tagged}: whether the server shows whose a session is. */
    Simulation(long seed, int target, int budget, int applications, boolean tagged) {
        this.random = new Random(seed);
        this.target = target;
        this.applications = applications;
        this.tagged = tagged;
        this.renames = seed % 4 > 1;
        this.table = new MemoryTable(budget, new Ledger(LEASE, FORGET));
        this.standby = table.copy();
        this.tableOffset = 1L + random.nextInt(1_000_000_000);
        for (int i = 0; i < target; i++) {
            after(random.nextInt(5_000), () -> new Member().begin());
        }
        after(1_000, this::mischief);
        after(1_000, this::replicate);
    }

    void run(long count) {
        long end = done + count;
        while (done < end) {
            step();
        }
    }

    private void step() {
        Step next = steps.remove();
        now = next.at;
        next.action.run();
        done++;
        mostAtServer = Math.max(mostAtServer, atServer);
        if (table.promised() > table.budget - Ledger.door(table.budget)) {
            throw new AssertionError("the rows promise " + table.promised() + " of " + table.budget + what());
        }
        if (atServer > table.budget) {
            throw new AssertionError("the server has " + atServer + " of " + table.budget + what());
        }
    }

    private String what() {
        StringBuilder text = new StringBuilder(" at " + now + " ms, step " + done);
        for (Member member : members) {
            text.append("\n  ").append(member).append(' ').append(table.rows.get(member.name));
        }
        return text.append("\n  ")
                .append(table.rows.values())
                .append("\n  ")
                .append(all)
                .toString();
    }

    /** Nothing fails any more, and nobody's wants change, for so long by the fleet's clock: some may be paused for longer. */
    void quieten(long millis) {
        quiet = true;
        members.forEach(Member::heal);
        long end = table.clock() + millis;
        while (steps.peek() != null && table.clock() < end) {
            step();
        }
    }

    void after(long millis, Runnable action) {
        steps.add(new Step(now + millis, order++, action));
    }

    private void replicate() {
        standby = table.copy();
        after(100 + random.nextInt(2_000), this::replicate);
    }

    private void mischief() {
        if (quiet) {
            return;
        }
        after(200 + random.nextInt(2_000), this::mischief);
        if (members.size() < target || random.nextInt(20) == 0) {
            new Member().begin();
        }
        if (random.nextInt(30) == 0 && now - clockSetAt > LEASE / 2 + Ledger.STEP_MILLIS) {
            clockSetAt = now;
            clockSteps++;
            tableOffset += random.nextInt(172_800_000) - 86_400_000;
        }
        if (random.nextInt(60) == 0) {
            restart();
        }
        Member victim = members.isEmpty() ? null : members.get(random.nextInt(members.size()));
        if (victim == null) {
            return;
        }
        switch (random.nextInt(12)) {
            case 0 -> victim.die();
            case 1 -> victim.leave();
            case 2 ->
                victim.pause(
                        random.nextInt(5) == 0
                                ? LEASE + random.nextInt(tagged && !renames ? 8 * (int) LEASE : 2 * (int) LEASE)
                                : 3_000);
            case 3 -> victim.cutOff(random.nextInt(3) == 0 ? 4 * LEASE : 2_000);
            case 4 -> victim.slowUntil = now + 60_000;
            default -> victim.demand = random.nextInt(3) == 0 ? random.nextInt(40) : random.nextInt(4);
        }
    }

    /** All sessions end, and what is on its way fails; half of the time a standby takes over. */
    private void restart() {
        era++;
        atServer = 0;
        asking = 0;
        nameless = 0;
        shown.clear();
        all.clear();
        if (random.nextBoolean()) {
            failovers++;
            table.become(standby);
        }
        List.copyOf(members).forEach(Member::connectionsDied);
    }

    /** One that exists at the server, or is on its way there or from there. */
    private final class Session {
        private final String instance;
        private final int began = era;
        private final long since = now;
        boolean open; // the client may use it
        private boolean ended;
        private boolean isShown;
        private boolean renamed;
        private boolean asks;

        /** From here on it may come at any time. */
        Session(String instance, boolean asks) {
            this.instance = instance;
            this.asks = asks;
            atServer++;
            asking += asks ? 1 : 0;
            all.add(this);
        }

        private boolean isGone() {
            return ended || began != era;
        }

        @Override
        public String toString() {
            return instance + (isShown ? "" : " hidden") + (renamed ? " renamed" : "") + (asks ? " asks" : "")
                    + " since " + since;
        }

        void appears() {
            if (!isGone() && !isShown) {
                isShown = true;
                count(1);
            }
        }

        private void count(int change) {
            if (renamed) {
                nameless += change;
            } else {
                shown.merge(instance, change, Integer::sum);
            }
        }

        void rename() {
            if (!isGone() && isShown) {
                count(-1);
                renamed = !renamed;
                count(1);
            }
        }

        void hasPlace() {
            asking -= asks && !isGone() ? 1 : 0;
            asks = false;
        }

        void ends() {
            if (!isGone()) {
                hasPlace();
                count(isShown ? -1 : 0);
                ended = true;
                atServer--;
                all.remove(this);
            }
        }
    }

    /** What the server shows to one that asks. */
    private record Shown(Map<String, Integer> byInstance, int nameless) implements Ledger.Sessions {}

    private Ledger.Sessions shownTo(Session one) {
        Map<String, Integer> others = new HashMap<>(shown);
        others.merge(one.instance, -1, Integer::sum);
        return new Shown(others, nameless);
    }

    final class Member {
        final String name = "m" + born++;
        final String application = "a" + random.nextInt(applications);
        final Pledge pledge = new Pledge(LEASE * 1_000_000, FORGET * 1_000_000);
        final List<Session> sessions = new ArrayList<>();
        final long offset = random.nextLong() / 4;
        final double rate = 1 + (random.nextDouble() - 0.5) / 100;
        final Claim self = new Claim(
                application,
                name,
                1 + application.hashCode() % 3,
                4 * (application.hashCode() % 3),
                21,
                AT_ONCE + 1,
                0,
                0,
                0,
                0,
                0,
                0,
                false,
                tagged ? name : null);
        int demand = random.nextInt(10);
        int connecting;
        long opened;
        int closing;
        private long ended; // closed or lost so far
        private int lingering; // of those that were closed in the last 50 ms
        boolean dead;
        long pausedUntil;
        long cutUntil;
        long slowUntil;
        private Session own; // renews
        private long renewal; // its number
        private boolean answered = true; // or given up
        private long failedAt = -LEASE * 10;
        private int held; // by the last answer
        private Settled settled; // by the last renewal, if it was answered

        long nanos() {
            return (long) (now * 1_000_000L * rate) + offset;
        }

        void begin() {
            members.add(this);
            renew();
            work();
        }

        int physical() {
            return sessions.size() + closing + (own == null ? 0 : 1);
        }

        /** As the pool tells it, since it had opened so many. */
        private int standing(long before) {
            return (int) Math.max(0, sessions.size() - connecting - (opened - before));
        }

        private boolean isCut() {
            return cutUntil > now;
        }

        /** Runs what the JVM does, when it runs. */
        private void awake(Runnable action) {
            if (dead) {
                return;
            }
            if (pausedUntil > now) {
                after(pausedUntil - now + random.nextInt(3), () -> awake(action));
            } else {
                action.run();
            }
        }

        private long delay() {
            long usual = 1L + random.nextInt(5);
            return slowUntil > now ? usual + random.nextInt(30_000) : usual;
        }

        /** When the server ends a session that the client has closed. */
        private void endsSoon(Session session) {
            ended++;
            if (!tagged || (renames && isCut())) {
                session.ends();
            } else {
                boolean late = !renames && random.nextInt(50) == 0;
                boolean soon = !isCut() && !late;
                int lag = random.nextInt(soon ? 25 : late ? 5_000 : 1_000);
                lingering += soon ? 1 : 0;
                after(isCut() ? cutUntil - now + lag : lag, () -> {
                    session.ends();
                    lingering -= soon ? 1 : 0;
                });
            }
        }

        private void renew() {
            awake(() -> {
                boolean asks = own == null && physical() + pledge.unended(ended, nanos()) + 1 > pledge.allowed(nanos());
                if (own == null && isCut()) {
                    pledge.claim(self, this::physical, () -> ended, 1, nanos());
                    renewal++;
                    after(random.nextInt(5_000), () -> awake(() -> failed(false)));
                    return;
                }
                if (asks && asking >= Ledger.door(table.budget)) {
                    renewLater(10 + random.nextInt(40));
                    return;
                }
                long sent = nanos();
                long opened = this.opened;
                Claim claim = pledge.claim(self, this::physical, () -> ended, 1 + Math.max(1, demand), sent);
                if (own == null) {
                    own = new Session(name, asks);
                    own.appears();
                }
                Session through = own;
                Settled last = settled;
                settled = null;
                long number = ++renewal;
                answered = false;
                if (!isCut() || random.nextBoolean()) {
                    after(
                            delay() + (isCut() ? random.nextInt(30_000) : 0),
                            () -> arrives(claim, opened, sent, through, last));
                }
                after(
                        5_000,
                        () -> awake(() -> {
                            if (renewal == number && !answered) {
                                failed(false);
                                endsSoon(through);
                                own = null;
                            }
                        }));
            });
        }

        private void failed(boolean heard) {
            answered = true;
            failedAt = now;
            pledge.failed(heard, false);
            if (heard && own.asks) {
                endsSoon(own);
                own = null;
            }
            renewLater(500 + random.nextInt(1_000));
        }

        /** Whatever came of the JVM meanwhile; a connection that has died brings nothing any more. */
        private void arrives(Claim claim, long opened, long sent, Session through, Settled last) {
            long number = renewal;
            if (through.began != era) {
                return;
            }
            if (random.nextInt(100) == 0) { // a row is locked for too long, say
                after(
                        delay(),
                        () -> awake(() -> {
                            if (renewal == number && !answered && through == own) {
                                failed(true);
                            }
                        }));
                return;
            }
            Settled result = table.renew(now + tableOffset, claim, shownTo(through), () -> standing(opened), last);
            if (result == null || (isCut() && random.nextInt(3) > 0)) {
                return;
            }
            after(
                    delay(),
                    () -> awake(() -> {
                        if (renewal == number && !answered && through == own && claim.sequence() == number) {
                            answered(result, sent);
                        }
                    }));
        }

        /** The connection that renews came through the door. */
        private boolean isOverFull() {
            return sessions.size() - connecting + 1 + pledge.unended(ended, nanos()) > held;
        }

        private void answered(Settled result, long sent) {
            Grant grant = result.grant();
            settled = result;
            answered = true;
            pledge.granted(grant, sent);
            held = grant.held();
            if (grant.ceiling() == 0 || isOverFull()) {
                endsSoon(own);
                own = null;
            } else {
                own.hasPlace();
            }
            renewLater(grant.renewAfterMillis(LEASE));
        }

        private void renewLater(long millis) {
            long number = renewal;
            after(millis + random.nextInt(100), () -> {
                if (renewal == number && answered) {
                    renew();
                }
            });
        }

        /** What the pool does: closes what is too much, opens what is wanted. */
        private void work() {
            awake(() -> {
                after(20 + random.nextInt(60), this::work);
                int most = pledge.allowed(nanos()) - 1;
                if (sessions.size() > Math.max(0, most) && random.nextInt(3) > 0) {
                    close();
                }
                Session some = sessions.isEmpty() ? null : sessions.get(random.nextInt(sessions.size()));
                if (some != null && some.open && renames && random.nextInt(20) == 0) {
                    some.rename();
                }
                if (some != null && some.open && isCut() && random.nextInt(50) == 0) { // found dead
                    sessions.remove(some);
                    endsSoon(some);
                    pledge.lost(true);
                }
                while (sessions.size() + closing < Math.min(most, demand) && connecting < AT_ONCE && connect()) {
                    // until it has enough
                }
            });
        }

        private void close() {
            for (Session session : sessions) {
                if (session.open) {
                    sessions.remove(session);
                    closing++;
                    after(random.nextInt(5), () -> awake(() -> closing--));
                    endsSoon(session);
                    return;
                }
            }
        }

        private boolean connect() {
            int open = physical() + 1 + (own == null ? 1 : 0);
            boolean isLate = open + lingering > pledge.allowed(nanos()); // waits for 50 ms
            if (isCut() || isLate || !pledge.mayConnect(open, ended, nanos())) {
                return false;
            }
            Session session = new Session(name, false);
            sessions.add(session);
            connecting++;
            boolean hangs = slowUntil > now && random.nextInt(4) == 0;
            after(random.nextInt(hangs ? 10_000 : 20), session::appears);
            after(
                    (hangs ? 10_000 : 25) + random.nextInt(30),
                    () -> awake(() -> {
                        if (sessions.contains(session)) {
                            session.open = true;
                            opened++;
                            connecting--;
                        }
                    }));
            return true;
        }

        void connectionsDied() {
            ended += sessions.size() + (own == null ? 0 : 1);
            sessions.clear();
            connecting = 0;
            own = null;
            pledge.lost(true);
            if (!answered) {
                failed(false);
            }
        }

        /** kill -9: the server ends the sessions when it sees that they are closed. */
        void die() {
            if (!dead) {
                dead = true;
                members.remove(this);
                long late = isCut() ? 70_000 : 230;
                allSessions().forEach(session -> after(30 + random.nextInt((int) late), session::ends));
            }
        }

        private List<Session> allSessions() {
            List<Session> all = new ArrayList<>(sessions);
            if (own != null) {
                all.add(own);
            }
            return all;
        }

        /** An orderly end: the row goes when the client has closed its connections, the server may be a little later. */
        void leave() {
            boolean mayStillCommit = failedAt + 61_000 > now;
            if (dead || pausedUntil > now || isCut() || connecting > 0 || closing > 0 || !answered || mayStillCommit) {
                return;
            }
            dead = true;
            members.remove(this);
            allSessions().forEach(this::endsSoon);
            after(random.nextInt(10), () -> table.leave(name));
        }

        void pause(long millis) {
            pausedUntil = Math.max(pausedUntil, now + millis);
        }

        void cutOff(long millis) {
            cutUntil = now + millis;
        }

        void heal() {
            pausedUntil = Math.min(pausedUntil, now);
            cutUntil = 0;
            slowUntil = 0;
        }

        @Override
        public String toString() {
            return name + " " + pledge + " physical " + physical() + " at server " + shown.get(name) + " demand "
                    + demand + (pausedUntil > now ? " paused" : "") + (isCut() ? " cut" : "");
        }
    }
}

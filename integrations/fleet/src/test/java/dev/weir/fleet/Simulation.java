package dev.weir.fleet;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Random;

/**
 * A fleet in virtual time: the real {@link Ledger} and {@link Pledge}, with a server, networks and JVMs that fail. Each
 * choice comes from the seed. After each step the server may not have more than the budget, nor may the rows promise
 * more.
 *
 * <p>A session is counted at the server from the moment that its connect has passed the gate until the server has ended
 * it: a connect that hangs anywhere in between is under way. The member's own connection is not simulated: it is the
 * first place of each ceiling, and always taken. A renewal takes effect within a minute or never: client and server
 * both give the transaction up, see {@link DatabaseBudget}.
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
    private final int target;
    private final int applications;
    private final Map<String, Integer> shown = new HashMap<>();
    private final long tableOffset;
    long now;
    long done;
    private long order;
    private int born;
    private boolean quiet;
    int atServer;
    int mostAtServer;

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
        this.table = new MemoryTable(budget, new Ledger(LEASE, FORGET));
        this.tableOffset = random.nextInt(1_000_000_000);
        for (int i = 0; i < target; i++) {
            after(random.nextInt(5_000), () -> new Member().begin());
        }
        after(1_000, this::mischief);
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
        if (table.promised() > table.budget) {
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
        return text.append("\n  ").append(table.rows.values()).toString();
    }

    /** Nothing fails any more, and nobody's wants change, for so long. */
    void quieten(long millis) {
        quiet = true;
        members.forEach(Member::heal);
        long end = now + millis;
        while (steps.peek() != null && steps.peek().at <= end) {
            step();
        }
    }

    void after(long millis, Runnable action) {
        steps.add(new Step(now + millis, order++, action));
    }

    private long tableNow() {
        return now + tableOffset;
    }

    private void mischief() {
        if (quiet) {
            return;
        }
        after(200 + random.nextInt(2_000), this::mischief);
        if (members.size() < target || random.nextInt(20) == 0) {
            new Member().begin();
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
                                ? LEASE + random.nextInt(tagged ? 8 * (int) LEASE : 2 * (int) LEASE)
                                : 3_000);
            case 3 -> victim.cutOff(random.nextInt(3) == 0 ? 4 * LEASE : 2_000);
            case 4 -> victim.slowUntil = now + 60_000;
            default -> victim.demand = random.nextInt(3) == 0 ? random.nextInt(40) : random.nextInt(4);
        }
    }

    /** One that exists at the server, or is on its way there or from there. */
    private static final class Session {
        boolean open; // the client may use it
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
                2,
                21,
                AT_ONCE + 1,
                0,
                0,
                0,
                0,
                0,
                false,
                tagged ? name : null);
        int demand = random.nextInt(10);
        int connecting;
        int closing;
        boolean dead;
        long pausedUntil;
        long cutUntil;
        long slowUntil;
        int own; // 1 while it has its own connection

        long nanos() {
            return (long) (now * 1_000_000L * rate) + offset;
        }

        void begin() {
            members.add(this);
            renew();
            work();
        }

        int physical() {
            return sessions.size() + closing + own;
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

        private void renew() {
            awake(() -> {
                long sent = nanos();
                Claim claim = pledge.claim(self, this::physical, 1 + Math.max(1, demand), sent);
                boolean[] over = {false};
                if (isCut() && random.nextBoolean()) {
                    // never arrives
                } else {
                    long delay = delay() + (isCut() ? random.nextInt(30_000) : 0);
                    after(delay, () -> arrives(claim, sent, over));
                }
                after(
                        5_000,
                        () -> awake(() -> {
                            if (!over[0]) {
                                over[0] = true;
                                pledge.failed(false);
                                renewLater(500 + random.nextInt(1_000));
                            }
                        }));
            });
        }

        /** Whatever came of the JVM meanwhile. */
        private void arrives(Claim claim, long sent, boolean[] over) {
            Grant grant = table.renew(tableNow(), claim, Map.copyOf(shown));
            if (grant == null || (isCut() && random.nextInt(3) > 0)) {
                return;
            }
            after(
                    delay(),
                    () -> awake(() -> {
                        if (over[0]) {
                            return;
                        }
                        over[0] = true;
                        pledge.granted(grant, sent);
                        if (own == 0 && pledge.mayConnect(physical() + 1, nanos())) {
                            own = 1;
                            appears();
                        } else if (grant.ceiling() == 0 && own == 1) {
                            own = 0;
                            after(random.nextInt(5), this::ends);
                        }
                        renewLater(grant.renewAfterMillis());
                    }));
        }

        private void renewLater(long millis) {
            after(millis + random.nextInt(100), this::renew);
        }

        private void appears() {
            shown.merge(name, 1, Integer::sum);
            atServer++;
        }

        private void ends() {
            shown.merge(name, -1, Integer::sum);
            atServer--;
        }

        /** What the pool does: closes what is too much, opens what is wanted. */
        private void work() {
            awake(() -> {
                after(20 + random.nextInt(60), this::work);
                int most = pledge.allowed(nanos()) - own;
                if (sessions.size() > Math.max(0, most) && random.nextInt(3) > 0) {
                    close();
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
                    after(random.nextInt(tagged ? 25 : 1), this::ends); // a tag shows it until it has ended
                    return;
                }
            }
        }

        private boolean connect() {
            if (!pledge.mayConnect(physical() + 1, nanos())) {
                return false;
            }
            Session session = new Session();
            sessions.add(session);
            connecting++;
            connects(session);
            return true;
        }

        private void connects(Session session) {
            atServer++; // from here on it may come at any time
            after(isCut() ? random.nextInt(10_000) : random.nextInt(20), () -> shown.merge(name, 1, Integer::sum));
            after(
                    25 + random.nextInt(isCut() ? 10_000 : 30),
                    () -> awake(() -> {
                        session.open = true;
                        connecting--;
                    }));
        }

        /** kill -9: the server ends the sessions when it sees that they are closed. */
        void die() {
            if (dead) {
                return;
            }
            dead = true;
            members.remove(this);
            int left = sessions.size() + own;
            long late = isCut() ? 60_000 : 200;
            for (int i = 0; i < left; i++) {
                after(30 + (isCut() ? 10_000 : 0) + random.nextInt((int) late), this::ends);
            }
        }

        void leave() {
            if (dead || pausedUntil > now || isCut() || connecting > 0 || closing > 0) {
                return;
            }
            die();
            after(11_000 + 60_000, () -> table.leave(name));
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

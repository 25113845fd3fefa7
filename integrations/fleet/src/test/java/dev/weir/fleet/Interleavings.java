package dev.weir.fleet;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Three members, the real {@link Ledger} and {@link Pledge}, and every order of what may happen, breadth first, from a
 * situation on: no two orders that come to the same state are followed twice. A state is made by doing its steps again.
 * What a client has closed or lost the server ends when it likes. A member that is paused is one whose steps do not come while others' and the time's do; a connect that hangs, one whose
 * end does not come.
 *
 * <pre>
 *   s send a claim, opening the connection that renews where there is none      a the answer arrives
 *   c the table commits the claim, whatever became of the member                f the member gives the renewal up
 *   g a connect passes the gate     d the server shows it, the client has it    x a connection is closed
 *   k the member is killed          e the server ends a session of its           l the pool found a connection dead
 *   h the renewal is refused, as if a row is locked for too long
 *   n a connect fails, and the server has its session
 *   w as s, of a member that wants one connection alone
 *   T U time passes, long and short                                             Z the server's clock is set ahead
 *   R the server restarts; sessions have ended, and the table is there
 * </pre>
 */
final class Interleavings {
    static final int BUDGET = 5;
    private static final long LEASE = 30_000;
    private static final int MEMBERS = 3;
    private static final int MOST = 2; // connections of a pool

    /** Every step there is. */
    static final String ALL = "scafghdxnwkelTUZR";

    private final boolean tagged;
    private final String happens;
    private final int claims;
    int states;
    int followed;

    /** No state is left that was not looked at. */
    boolean ended;

    /** {@code happens}: the steps that may happen, each by its letter; {@code claims}: how many each member may send. */
    Interleavings(boolean tagged, String happens, int claims) {
        this.tagged = tagged;
        this.happens = happens;
        this.claims = claims;
    }

    /** Follows all orders from this situation until so many states were looked at; returns the longest order, in steps. */
    int explore(String situation, int most) {
        Set<String> known = new HashSet<>();
        ArrayDeque<String> open = new ArrayDeque<>();
        open.add(situation);
        int longest = 0;
        while (!open.isEmpty() && states < most) {
            String path = open.remove();
            followed++;
            World parent = world(path);
            for (String step : parent.enabled()) {
                World world = world(path + step);
                states++;
                if (known.add(world.toString())) {
                    open.add(path + step);
                    longest = Math.max(longest, (path.length() - situation.length()) / 2 + 1);
                }
            }
        }
        ended = open.isEmpty();
        return longest;
    }

    private World world(String path) {
        World world = new World();
        for (int i = 0; i < path.length(); i += 2) {
            world.step(path.charAt(i), path.charAt(i + 1) - '0');
            world.check(path);
        }
        return world;
    }

    private final class World {
        final MemoryTable table = new MemoryTable(BUDGET, new Ledger(LEASE, LEASE));
        final List<Member> members = new ArrayList<>();
        long millis;
        int clockSteps;
        int restarts;

        World() {
            for (int i = 0; i < MEMBERS; i++) {
                members.add(new Member("m" + i));
            }
        }

        private final class Member {
            final String name;
            final Pledge pledge = new Pledge(LEASE * 1_000_000, LEASE * 1_000_000);
            boolean dead;
            int connecting; // at the server, or on the way
            int open;
            int ending; // closed by the client, or its client is dead
            int hidden; // of those that are ending, not shown
            long ended; // closed or lost so far
            boolean ownEnding; // the first of those that end
            int held; // by the last answer
            int came; // since the claim that is sent was made
            boolean own;
            boolean asks;
            Claim claim; // sent, not committed
            boolean claimThrough; // the connection still stands
            Settled last; // of the claim before, if it was answered
            Settled result; // committed, not arrived
            long sent;
            int sentClaims;
            boolean waits;

            Member(String name) {
                this.name = name;
            }

            int physical() {
                return connecting + open + (own ? 1 : 0);
            }

            int atServer() {
                return physical() + ending;
            }

            /** Whether the connection that renews has a place of the member's; else it comes through the door. */
            boolean fits(long nanos) {
                return own || physical() + pledge.unended(ended, nanos) + 1 <= pledge.allowed(nanos);
            }

            void send(int wants) {
                sentClaims++;
                sent = millis * 1_000_000;
                Claim self = new Claim("app", name, 1, 1, 1 + MOST, 2, 0, 0, 0, 0, 0, 0, false, tagged ? name : null);
                asks = !fits(sent);
                came = 0;
                claim = pledge.claim(self, this::physical, () -> ended, wants, sent);
                claimThrough = true;
                result = null;
                own = true;
                waits = true;
            }

            void commit() {
                result = table.renew(1_000_000 + millis, claim, shownTo(this), () -> Math.max(0, open - came), last);
                came = 0;
                result = claimThrough ? result : null;
                last = null;
                claim = null;
            }

            void arrive() {
                pledge.granted(result.grant(), sent);
                waits = false;
                held = result.grant().held();
                if (result.grant().ceiling() == 0 || isOverFull()) {
                    closeOwn();
                }
                asks = asks && ownEnding;
                last = result;
                result = null;
            }

            void giveUp() {
                pledge.failed(false, false);
                waits = false;
                claimThrough = false;
                result = null;
                closeOwn();
                asks = asks && ownEnding;
            }

            private boolean isOverFull() {
                return open + 1 + pledge.unended(ended, millis * 1_000_000) > held;
            }

            void refused() {
                pledge.failed(true, false);
                waits = false;
                claim = null;
                if (own && asks) {
                    closeOwn();
                }
                asks = asks && ownEnding;
            }

            void closeOwn() {
                own = false;
                ended++;
                ownEnding = tagged;
                ending += tagged ? 1 : 0; // where the server does not show them, they have ended when they are closed
            }

            void kill() {
                dead = true;
                waits = false;
                claimThrough = false;
                result = null;
                hidden += connecting;
                ending += physical();
                connecting = 0;
                open = 0;
                ownEnding |= own;
                own = false;
            }

            void restart() {
                boolean had = physical() > 0;
                ended += physical();
                connecting = 0;
                open = 0;
                ending = 0;
                hidden = 0;
                ownEnding = false;
                asks = false;
                own = false;
                last = claim == null ? last : null;
                claim = null;
                if (had && !dead) {
                    pledge.lost(true);
                }
                if (waits) {
                    pledge.failed(false, false);
                    waits = false;
                }
                result = null;
            }
        }

        private Ledger.Sessions shownTo(Member one) {
            Map<String, Integer> shown = new HashMap<>();
            for (Member member : members) {
                boolean asksNow = member == one && member.own && member.claimThrough;
                int all = member.open + member.ending - member.hidden + (member.own && !asksNow ? 1 : 0);
                shown.put(member.name, all);
            }
            return new Ledger.Sessions() {
                @Override
                public Map<String, Integer> byInstance() {
                    return shown;
                }

                @Override
                public int nameless() {
                    return 0;
                }
            };
        }

        private int asking() {
            return (int) members.stream().filter(member -> member.asks).count();
        }

        List<String> enabled() {
            List<String> steps = new ArrayList<>();
            for (int i = 0; i < MEMBERS; i++) {
                Member member = members.get(i);
                boolean lives = !member.dead;
                long nanos = millis * 1_000_000;
                boolean mayAsk = member.fits(nanos) || asking() < Ledger.door(BUDGET);
                boolean maySend =
                        lives && !member.waits && member.claim == null && mayAsk && member.sentClaims < claims;
                add(steps, 's', i, maySend);
                add(steps, 'w', i, maySend && member.pledge.allowed(nanos) > 2);
                add(steps, 'c', i, member.claim != null);
                add(steps, 'a', i, member.waits && member.result != null);
                add(steps, 'f', i, member.waits);
                add(steps, 'h', i, member.waits && member.claim != null);
                int with = member.physical() + 1 + (member.own ? 0 : 1);
                boolean room = member.connecting + member.open < MOST && member.connecting < 1;
                add(steps, 'g', i, lives && room && member.pledge.mayConnect(with, member.ended, nanos));
                add(steps, 'd', i, lives && member.connecting > 0);
                add(steps, 'n', i, lives && member.connecting > 0 && tagged);
                add(steps, 'x', i, lives && member.open > 0);
                add(steps, 'k', i, lives && member.physical() > 1);
                add(steps, 'e', i, member.ending > 0);
                add(steps, 'l', i, lives && member.open > 0 && tagged);
            }
            // What nobody sees ends within the time after which a member is forgotten.
            boolean unseen = members.stream().anyMatch(m -> m.connecting + m.hidden > 0 || (!tagged && m.ending > 0));
            long end = unseen ? 2 * LEASE : 4 * LEASE;
            add(steps, 'T', 0, millis + 14_200 < end);
            add(steps, 'U', 0, millis + 4_000 < end);
            add(steps, 'Z', 0, clockSteps < 2);
            add(steps, 'R', 0, restarts < 1);
            return steps;
        }

        private void add(List<String> steps, char step, int member, boolean enabled) {
            if (enabled && happens.indexOf(step) >= 0) {
                steps.add("" + step + member);
            }
        }

        void step(char step, int i) {
            Member member = members.get(i);
            switch (step) {
                case 's' -> member.send(1 + MOST);
                case 'w' -> member.send(2);
                case 'c' -> member.commit();
                case 'a' -> member.arrive();
                case 'f' -> member.giveUp();
                case 'h' -> member.refused();
                case 'g' -> member.connecting++;
                case 'd' -> {
                    member.connecting--;
                    member.open++;
                    member.came += member.claim == null ? 0 : 1;
                }
                case 'x' -> {
                    member.open--;
                    member.ended++;
                    member.ending += tagged ? 1 : 0;
                }
                case 'n' -> {
                    member.connecting--;
                    member.ending++;
                    member.ended++;
                }
                case 'l' -> {
                    member.open--;
                    member.ending++;
                    member.ended++;
                    member.pledge.lost(true);
                }
                case 'k' -> member.kill();
                case 'e' -> {
                    member.ending--;
                    member.asks &= !member.ownEnding;
                    member.ownEnding = false;
                    member.hidden = Math.min(member.hidden, member.ending);
                }
                case 'T' -> pass(14_200);
                case 'U' -> pass(4_000);
                case 'Z' -> {
                    clockSteps++;
                    table.pass(Ledger.STEP_MILLIS);
                }
                case 'R' -> {
                    restarts++;
                    members.forEach(Member::restart);
                }
                default -> throw new IllegalArgumentException("" + step);
            }
        }

        private void pass(long passed) {
            millis += passed;
            table.pass(passed);
        }

        void check(String path) {
            int atServer = members.stream().mapToInt(Member::atServer).sum();
            if (atServer > BUDGET) {
                throw new AssertionError(
                        "the server has " + atServer + " of " + BUDGET + " after " + path + ": " + this);
            }
            int most = BUDGET - Ledger.door(BUDGET);
            if (table.promised() > most) {
                throw new AssertionError("the rows promise more than " + most + " after " + path + ": " + this);
            }
        }

        @Override
        public String toString() {
            StringBuilder text = new StringBuilder()
                    .append(millis)
                    .append(' ')
                    .append(clockSteps)
                    .append(restarts);
            for (Member m : members) {
                text.append('\n')
                        .append(m.pledge)
                        .append(m.dead)
                        .append(m.connecting)
                        .append(m.open);
                text.append(m.ending)
                        .append(m.hidden)
                        .append(m.pledge.unended(m.ended, millis * 1_000_000))
                        .append(m.ownEnding)
                        .append(m.held)
                        .append(m.came)
                        .append(m.own)
                        .append(m.asks)
                        .append(m.waits);
                text.append(m.claimThrough)
                        .append(m.sent)
                        .append(m.claim)
                        .append(m.last)
                        .append(m.result);
            }
            return text.append(table).toString();
        }
    }
}

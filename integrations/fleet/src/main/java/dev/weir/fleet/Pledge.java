package dev.weir.fleet;

import java.util.function.IntSupplier;
import java.util.function.LongSupplier;

/**
 * A member's side of the protocol: what it may have now, what it says at a renewal, what it does with the answer. It
 * reads no clock; times are nanoseconds of one that goes on while the JVM is paused, such as {@code System.nanoTime()}.
 *
 * <pre>
 *   until the lease ends                up to the ceiling of the last grant
 *   then, until it is forgotten         up to the lesser of that and the floor of the last grant
 *   then, if the server still answers   the same: nobody can take a place from a table that refuses everybody
 *   then, if it does not                nothing, until a renewal succeeds
 *
 *   after a connection has died         nothing more is opened until the server has answered a renewal, if only by a
 *                                       refusal: it may be another one, or just be back, or still have the session
 * </pre>
 *
 * <p>A lease begins when the claim is sent, so that it ends here before it ends in the table, which adds it to a later
 * time; a twentieth less, for clocks of different speeds. Thread-safe: the member's thread renews, threads that connect
 * ask {@link #allowed}.
 */
public final class Pledge {
    private final long leaseNanos;
    private final long forgetNanos;

    // guarded by this
    private int ceiling;
    private int floor;
    private long sequence;
    private long renewedNanos; // when the claim of the last grant was sent
    private boolean renewedOnce;
    private boolean failed;
    private boolean answered; // the last failure was an answer of the server that holds for everybody
    private boolean heard; // the last failure was an answer of the server
    private boolean lost; // a connection has died since the last answer
    private boolean lostLater; // since the last claim was made, so that its answer may be older
    private int unended; // closed or lost, and perhaps still at the server, when the last claim was made
    private long endedBefore; // by the pool's count, when the last claim was made
    private long pausedUntilNanos;
    private boolean paused;

    /** Of a lease of this length, and a row that is forgotten so long after that. */
    public Pledge(long leaseNanos, long forgetNanos) {
        this.leaseNanos = leaseNanos - leaseNanos / 20;
        this.forgetNanos = forgetNanos - forgetNanos / 20;
    }

    /** The most connections that the member may have now, its own one included. */
    public synchronized int allowed(long nowNanos) {
        if (!renewedOnce) {
            return 0;
        }
        long age = nowNanos - renewedNanos;
        if (age < leaseNanos) {
            return ceiling;
        }
        return age < leaseNanos + forgetNanos || answered ? Math.min(ceiling, floor) : 0;
    }

    /**
     * Whether a pool with so many connections, the member's own and this connect included, may connect now. What it has
     * closed or lost keeps its place until a renewal has seen that the server has ended it.
     *
     * @param ended connections that the member has closed or lost so far, counted after {@code open}
     */
    public synchronized boolean mayConnect(int open, long ended, long nowNanos) {
        return !lost && pauseNanos(nowNanos) == 0 && open + unended(ended, nowNanos) <= allowed(nowNanos);
    }

    /**
     * Of so many that the member has closed or lost so far, those that the server may still have, as far as is known. 0 where
     * the server answers, and there is no table, or renewals failed until the lease had ended: nobody can tell then that they
     * have ended.
     */
    public synchronized int unended(long ended, long nowNanos) {
        boolean isBlind = failed && (answered || (heard && nowNanos - renewedNanos >= leaseNanos));
        return isBlind ? 0 : unended + (int) (ended - endedBefore);
    }

    /** How long the member is still to open nothing, by the last grant; 0: not at all. */
    public synchronized long pauseNanos(long nowNanos) {
        if (paused && nowNanos - pausedUntilNanos >= 0) {
            paused = false;
        }
        return paused ? pausedUntilNanos - nowNanos : 0;
    }

    /**
     * A connection has died: the member is to renew before it opens another.
     *
     * @param later not before the last claim was made, as far as is known: the answer to that claim may come from the
     *     server that the connection was lost with, and does not count
     */
    public synchronized void lost(boolean later) {
        lost = true;
        lostLater |= later;
    }

    /** The member opens nothing any more: what it had and closes is not opened again. */
    public synchronized void atMost(int connections) {
        ceiling = Math.min(ceiling, connections);
    }

    /** Whether the lease has ended, and the connections that are open may stay: the ledger holds their places. */
    public synchronized boolean isKept(long nowNanos) {
        long age = nowNanos - renewedNanos;
        return renewedOnce && age >= leaseNanos && (age < leaseNanos + forgetNanos || answered);
    }

    /**
     * Begins a renewal.
     *
     * @param physical how many connections there are, those under way and the member's own included. It is asked when
     *     the gate has its new limit, so that it sees each connect that passed before
     * @param ended how many connections the member has closed or lost so far. It is asked after {@code physical}, so that
     *     each is counted by the one or the other
     * @return a claim as {@code member} with the counts filled in
     */
    public synchronized Claim claim(Claim member, IntSupplier physical, LongSupplier ended, int wants, long nowNanos) {
        ceiling = allowed(nowNanos); // what ended does not come back without an answer
        int open = physical.getAsInt();
        long endedNow = ended.getAsLong();
        unended += (int) (endedNow - endedBefore);
        endedBefore = endedNow;
        boolean recovering = (failed || lost) && renewedOnce;
        lostLater = false;
        return new Claim(
                member.application(),
                member.instance(),
                member.weight(),
                member.guaranteed(),
                member.maximum(),
                member.atOnce(),
                ++sequence,
                open,
                unended,
                Math.max(ceiling, open),
                floor,
                wants,
                recovering,
                member.tag());
    }

    /** The answer to the last claim, which was sent at this time. An answer to one before must not come here. */
    public synchronized void granted(Grant grant, long sentNanos) {
        ceiling = grant.ceiling();
        floor = grant.floor();
        unended = Math.min(unended, grant.unended());
        renewedNanos = sentNanos;
        renewedOnce = true;
        failed = false;
        answered = false;
        lost = lostLater;
        long until = sentNanos + grant.pauseMillis() * 1_000_000L;
        if (!paused || until - pausedUntilNanos > 0) { // else its turn is still to come
            paused = grant.pauseMillis() > 0;
            pausedUntilNanos = until;
        }
    }

    /**
     * The last claim failed.
     *
     * @param heard whether the server answered, as when a row is locked for too long
     * @param noTable whether the answer was that there is no table, so that nobody is served
     */
    public synchronized void failed(boolean heard, boolean noTable) {
        failed = true;
        answered = noTable;
        this.heard = heard;
        lost = lostLater || (lost && !heard);
    }

    /** When the lease ends; only while {@link #isJoined}. */
    public synchronized long leaseEndsNanos() {
        return renewedNanos + leaseNanos;
    }

    /** Whether a renewal has ever succeeded. */
    public synchronized boolean isJoined() {
        return renewedOnce;
    }

    /** Returns all of its state. */
    @Override
    public synchronized String toString() {
        return "Pledge[ceiling=" + ceiling + ", floor=" + floor + ", sequence=" + sequence + ", renewed="
                + (renewedOnce ? renewedNanos : "never") + ", failed=" + failed + ", answered=" + answered
                + (unended == 0 ? "" : ", unended=" + unended) + (lost ? ", lost" : "") + (lostLater ? " later" : "")
                + (paused ? ", pausedUntil=" + pausedUntilNanos : "") + "]";
    }
}

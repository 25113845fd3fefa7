package dev.weir.fleet;

import java.util.Objects;

/**
 * A renewal that took effect: the row that it wrote and the answer. While places are not short, the next one may be
 * <em>steady</em>: it changes nothing but when the lease ends, needs no other row, and has the same answer.
 *
 * <p>It takes effect only if the row is the one that this wrote, its lease has not ended, the fleet is not tight, and its
 * clock was written in the last {@link Ledger#FRESH_MILLIS}; else the member renews in full. It excludes, as every
 * renewal does, that another one decides at the same time. The sum of what the rows promise stays as it is, and a lease
 * that is longer takes nothing from anybody that was given away: so it is as safe as the renewal before.
 */
record Settled(Row row, Grant grant) {

    /** Whether the row covers what the claim says that the member has, may have under way and wants. */
    boolean covers(Claim claim) {
        return !grant.tight()
                && grant.pauseMillis() == 0 // which would begin again
                && !claim.recovering()
                && (claim.unended() == 0 || claim.open() + claim.unended() < claim.has()) // else it lacks these places
                && claim.instance().equals(row.instance())
                && claim.application().equals(row.application())
                && claim.weight() == row.weight()
                && claim.guaranteed() == row.guaranteed()
                && claim.maximum() == row.maximum()
                && claim.atOnce() <= row.atOnce()
                && claim.floor() <= row.floor()
                && claim.has() == row.has()
                && claim.wants() <= row.has()
                && 2 * claim.wants() >= row.wants() // else others may like to know
                && Objects.equals(claim.tag(), row.tag());
    }

    /**
     * After a steady renewal that took effect. When the lease ends is not known here, and of no account; nor is whether the
     * server has ended what was closed.
     */
    Settled extendedBy(Claim claim) {
        return new Settled(row.extended(claim.sequence(), row.expiresMillis()), grant.withUnended(claim.unended()));
    }
}

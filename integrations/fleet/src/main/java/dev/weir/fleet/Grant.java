package dev.weir.fleet;

/**
 * What a member may have until its lease ends.
 *
 * @param ceiling the most connections it may have, its own one and {@code unended} included; 0: none, not even its own
 * @param held what the fleet holds for it: the ceiling, or more while it has more, or the server has sessions of it that it
 *     has closed; if more, it is to renew when it has given back
 * @param unended of the connections that it said it has closed or lost, as many as the server may still have
 * @param share what it should have: it may grow to it as soon as others have given back
 * @param floor the most that it may have when its lease has ended
 * @param pauseMillis how long it is to open nothing: after an outage the members come back one by one
 * @param budget places of the fleet
 * @param free places that nobody has
 * @param members members whose lease has not ended
 * @param tight whether members want more than there is, or nearly: they renew more often
 */
public record Grant(
        int ceiling,
        int held,
        int unended,
        int share,
        int floor,
        long pauseMillis,
        int budget,
        int free,
        int members,
        boolean tight) {

    /** How long a renewal takes at most, with what the retry after it takes before it begins. */
    private static final int FAILED_MILLIS = DatabaseBudget.TIMEOUT_MILLIS + 1_000;

    /** The same, of which it is not known whether the server has ended more. */
    Grant withUnended(int value) {
        return new Grant(ceiling, held, value, share, floor, pauseMillis, budget, free, members, tight);
    }

    /**
     * When to renew next, if nothing happens before: so that all members together renew at most 40 times a second while
     * places are short, and 13 times else; and so that there is time for a second renewal before a lease of this length
     * ends, if the first one gets no answer. It is spread by a fifth around this.
     */
    long renewAfterMillis(long leaseMillis) {
        long twice = leaseMillis * 2 / 5;
        if (tight) {
            return Math.min(twice, Math.max(200, 25L * members));
        }
        long once = (leaseMillis * 19 / 20 - FAILED_MILLIS) * 5 / 6;
        return Math.min(Math.max(twice, once), Math.max(1_000, 80L * members));
    }
}

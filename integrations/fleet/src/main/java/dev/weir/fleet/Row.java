package dev.weir.fleet;

import org.jspecify.annotations.Nullable;

/**
 * A member as the table has it.
 *
 * @param application the application it is an instance of
 * @param instance its name
 * @param weight of the application
 * @param guaranteed of the application
 * @param maximum the most it may have
 * @param atOnce the most connects it has under way at a time
 * @param sequence of the last renewal
 * @param has the most connections it may have now
 * @param wants the most it could have used lately
 * @param granted its share at the last renewal
 * @param floor the most it may have when its lease has ended
 * @param expiresMillis when the lease ends, by the clock of the table
 * @param tag what the server shows of its sessions, or null
 */
public record Row(
        String application,
        String instance,
        int weight,
        int guaranteed,
        int maximum,
        int atOnce,
        long sequence,
        int has,
        int wants,
        int granted,
        int floor,
        long expiresMillis,
        @Nullable String tag) {

    Row extended(long newSequence, long newExpiresMillis) {
        return new Row(
                application,
                instance,
                weight,
                guaranteed,
                maximum,
                atOnce,
                newSequence,
                has,
                wants,
                granted,
                floor,
                newExpiresMillis,
                tag);
    }
}

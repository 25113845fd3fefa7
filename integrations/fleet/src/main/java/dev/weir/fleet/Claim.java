package dev.weir.fleet;

import org.jspecify.annotations.Nullable;

/**
 * What a member says at a renewal. Connections are counted with the member's own one, which renews.
 *
 * @param application the application it is an instance of
 * @param instance its name, one in the fleet
 * @param weight of the application, from 1
 * @param guaranteed what the application gets, if it wants it, before the others get more; from 0
 * @param maximum the most that this member may have
 * @param atOnce the most connects that it has under way at a time
 * @param sequence greater than that of every renewal before; one that comes late has no effect
 * @param open connections that exist, connects and closes under way included
 * @param unended connections that it has closed or lost, and connects that failed or were given up, of which it does not know that the
 *     server has ended them; not counted in {@code open}, or in both
 * @param has the most that it will have until the answer arrives; at least {@code open}
 * @param floor the floor of the last grant that arrived, from 0
 * @param wants the most that it could have used lately
 * @param recovering whether the renewal before failed: the server may have been away for all
 * @param tag what the server shows of the member's sessions, or null if it shows nothing
 */
public record Claim(
        String application,
        String instance,
        int weight,
        int guaranteed,
        int maximum,
        int atOnce,
        long sequence,
        int open,
        int unended,
        int has,
        int floor,
        int wants,
        boolean recovering,
        @Nullable String tag) {

    /** The same of a member whose sessions the server does not show. */
    Claim withoutTag() {
        return new Claim(
                application,
                instance,
                weight,
                guaranteed,
                maximum,
                atOnce,
                sequence,
                open,
                unended,
                has,
                floor,
                wants,
                recovering,
                null);
    }
}

package dev.weir.fleet;

import org.jspecify.annotations.Nullable;

/**
 * A member as it sees itself; of about one moment. Connections are counted with the member's own one.
 *
 * @param fleet name of the fleet
 * @param application name of the application
 * @param instance name of the member
 * @param granted the most it may have now
 * @param share what it should have
 * @param wanted what it could use
 * @param budget places of the fleet, at the last renewal that read all rows: while places are short each does, else at least one in 60 s, or in as many as there are members
 * @param free places that nobody had then
 * @param members members then
 * @param renewals that succeeded
 * @param failures renewals that failed
 * @param leaseHolds whether the last grant still holds
 * @param lastFailure what the last failed renewal said, or null if none failed
 */
public record FleetStats(
        String fleet,
        String application,
        String instance,
        int granted,
        int share,
        int wanted,
        int budget,
        int free,
        int members,
        long renewals,
        long failures,
        boolean leaseHolds,
        @Nullable String lastFailure) {}

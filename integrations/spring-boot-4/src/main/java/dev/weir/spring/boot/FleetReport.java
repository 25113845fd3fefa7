package dev.weir.spring.boot;

import org.jspecify.annotations.Nullable;

/** What a pool has of its fleet, as the endpoint shows it. Connections are counted with the member's own one. */
record FleetReport(
        String name,
        String application,
        String instance,
        int granted,
        int share,
        int wanted,
        int budget,
        int free,
        int members,
        boolean leaseHolds,
        long renewals,
        long failedRenewals,
        @Nullable String lastFailure) {}

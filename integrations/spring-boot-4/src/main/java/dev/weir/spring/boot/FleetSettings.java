package dev.weir.spring.boot;

import org.jspecify.annotations.Nullable;

/** The properties {@code prefix.fleet.*} as they are written; what they mean is known where the fleet's module is. */
record FleetSettings(
        @Nullable String name,
        @Nullable String application,
        @Nullable String budget,
        @Nullable String leaveForOthers,
        @Nullable String weight,
        @Nullable String guaranteed,
        @Nullable String instances,
        @Nullable String lease,
        @Nullable String forgetAfter,
        @Nullable String createTables) {

    /** A name that is there and empty: a profile takes the pool out of the fleet. */
    boolean isOff() {
        return name != null && name.isBlank();
    }
}

package dev.weir.spring.boot;

import dev.weir.WeirDataSource;
import org.jspecify.annotations.Nullable;

/** The pools that are members of a fleet; a bean where {@code weir-fleet} is on the class path. Thread-safe. */
interface FleetMembers {
    /**
     * Makes a pool that is not started a member.
     *
     * @throws PoolConfigurationException if a property is wrong, or the pool does not fit into the fleet
     */
    void join(PropertyNames names, WeirDataSource pool, FleetSettings settings);

    /** Returns what the pool has of its fleet, or null if it is in none. */
    @Nullable
    FleetReport of(WeirDataSource pool);

    /** Closes the pool and gives its places to the others; does nothing for one that is in no fleet. */
    void leave(WeirDataSource pool);

    /** Has no member hold a connection of its own until {@link #resume}. */
    void suspend();

    void resume();
}

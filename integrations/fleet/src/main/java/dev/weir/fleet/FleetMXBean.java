package dev.weir.fleet;

import org.jspecify.annotations.Nullable;

/** A member as JMX shows it, under {@code dev.weir:type=Fleet,name=...} with the pool's name. Thread-safe. */
public interface FleetMXBean {
    /** Returns the name of the fleet. */
    String getFleet();

    /** Returns the name of the application. */
    String getApplication();

    /** Returns the name of the member. */
    String getInstance();

    /** Returns the most connections that the member may have now, its own one included. */
    int getGranted();

    /** Returns what it should have. */
    int getShare();

    /** Returns what it could use. */
    int getWanted();

    /** Returns the places of the fleet. */
    int getBudget();

    /** Returns the places that nobody had at the last renewal. */
    int getFree();

    /** Returns how many members there were at the last renewal. */
    int getMembers();

    /** Returns how many renewals succeeded. */
    long getRenewals();

    /** Returns how many renewals failed. */
    long getFailures();

    /** Returns whether the last grant still holds. */
    boolean isLeaseHolds();

    /** Returns what the last failed renewal said, or null if none failed. */
    @Nullable
    String getLastFailure();
}

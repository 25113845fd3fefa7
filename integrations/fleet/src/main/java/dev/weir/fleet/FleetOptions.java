package dev.weir.fleet;

import java.time.Duration;
import java.util.Objects;

/**
 * What a member is told about its fleet. All members of a fleet have the same budget, lease and forgetAfter. Immutable.
 *
 * @param fleet name of the fleet: 1 to 64 letters, digits, dots, hyphens and underscores
 * @param application name of the application, alike for all its instances; the same characters
 * @param budget connections for the whole fleet, from 3; {@link #AUTO}: what the server has for it
 * @param leaveForOthers with {@code AUTO}: connections that are left for those who are no members, from 0
 * @param weight of the application where all want more than there is, 1 to 1000
 * @param guaranteed connections that the application gets before others get more than theirs, from 0
 * @param instances of the application there are at least this many, from 1: {@code guaranteed / instances} is the share
 *     that is guaranteed to one, and no pool may be smaller
 * @param lease how long a grant lasts without a renewal, 5 s to 1 h
 * @param forgetAfter after that, how long a member that cannot be seen keeps its places, from the length of the lease to
 *     365 days
 * @param createTables whether the tables are made where they are missing
 */
public record FleetOptions(
        String fleet,
        String application,
        int budget,
        int leaveForOthers,
        int weight,
        int guaranteed,
        int instances,
        Duration lease,
        Duration forgetAfter,
        boolean createTables) {
    /** A budget that is read from the server. */
    public static final int AUTO = 0;

    private static final String NAMES = "[A-Za-z0-9._-]{1,64}";

    /**
     * Checks the values.
     *
     * @throws IllegalArgumentException naming what is wrong
     */
    public FleetOptions {
        require(Objects.requireNonNull(fleet).matches(NAMES), "fleet", fleet, "1 to 64 of A-Z a-z 0-9 . _ -");
        require(
                Objects.requireNonNull(application).matches(NAMES),
                "application",
                application,
                "1 to 64 of A-Z a-z 0-9 . _ -");
        require(budget == AUTO || budget >= 3, "budget", budget, "auto, or 3 and more");
        require(leaveForOthers >= 0, "leaveForOthers", leaveForOthers, "0 and more");
        require(weight >= 1 && weight <= 1000, "weight", weight, "1..1000");
        require(guaranteed >= 0, "guaranteed", guaranteed, "0 and more");
        require(
                budget == AUTO || guaranteed <= budget,
                "guaranteed",
                guaranteed,
                "at most the budget of the fleet, " + budget);
        require(instances >= 1, "instances", instances, "1 and more");
        require(lease.toSeconds() >= 5 && lease.compareTo(Duration.ofHours(1)) <= 0, "lease", lease, "5 s to 1 h");
        require(
                forgetAfter.compareTo(lease) >= 0 && forgetAfter.compareTo(Duration.ofDays(365)) <= 0,
                "forgetAfter",
                forgetAfter,
                "from the length of the lease to 365 days");
    }

    private static void require(boolean right, String option, Object value, String expected) {
        if (!right) {
            throw new IllegalArgumentException("fleet " + option + ": " + value + " (expected: " + expected + ")");
        }
    }

    /** A budget that is read from the server, equal weights, a lease of 30 s, forgotten after 10 min. */
    public static FleetOptions of(String fleet, String application) {
        return new FleetOptions(
                fleet, application, AUTO, 0, 1, 0, 1, Duration.ofSeconds(30), Duration.ofMinutes(10), false);
    }

    /** The same with this budget. */
    public FleetOptions withBudget(int value) {
        return new FleetOptions(
                fleet,
                application,
                value,
                leaveForOthers,
                weight,
                guaranteed,
                instances,
                lease,
                forgetAfter,
                createTables);
    }

    /** The same, with so many connections left for others where the budget is read from the server. */
    public FleetOptions withLeaveForOthers(int value) {
        return new FleetOptions(
                fleet, application, budget, value, weight, guaranteed, instances, lease, forgetAfter, createTables);
    }

    /** The same with this weight and these guaranteed places of the application. */
    public FleetOptions withShare(int newWeight, int newGuaranteed) {
        return new FleetOptions(
                fleet,
                application,
                budget,
                leaveForOthers,
                newWeight,
                newGuaranteed,
                instances,
                lease,
                forgetAfter,
                createTables);
    }

    /** The same, of an application that has at least so many instances. */
    public FleetOptions withInstances(int value) {
        return new FleetOptions(
                fleet,
                application,
                budget,
                leaveForOthers,
                weight,
                guaranteed,
                value,
                lease,
                forgetAfter,
                createTables);
    }

    /** The same with these times. */
    public FleetOptions withLease(Duration newLease, Duration newForgetAfter) {
        return new FleetOptions(
                fleet,
                application,
                budget,
                leaveForOthers,
                weight,
                guaranteed,
                instances,
                newLease,
                newForgetAfter,
                createTables);
    }

    /** The same, and the tables are made where they are missing; that takes the right to create them. */
    public FleetOptions withCreateTables(boolean value) {
        return new FleetOptions(
                fleet, application, budget, leaveForOthers, weight, guaranteed, instances, lease, forgetAfter, value);
    }
}

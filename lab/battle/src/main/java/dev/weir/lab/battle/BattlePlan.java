package dev.weir.lab.battle;

import java.time.Duration;

/**
 * The size of a battle.
 *
 * @param users threads, each a user who asks, reads the answer, thinks, and asks again
 * @param think how long a user thinks on average: between half of it and one and a half of it
 * @param downstream how long the other system takes on average, drawn alike; the connection is held meanwhile
 * @param connect how long it takes to open a connection; HSQLDB in memory alone needs no time, which no server can
 * @param warmUp how long the load runs before it is measured
 * @param measured how long it is measured
 * @param customers rows in the customer table, at least one for each user
 * @param products rows in the product table
 * @param seed what all drawn times and choices follow from; the same for every pool
 */
public record BattlePlan(
        int users,
        Duration think,
        Duration downstream,
        Duration connect,
        Duration warmUp,
        Duration measured,
        int customers,
        int products,
        long seed) {
    public BattlePlan {
        if (users < 1) {
            throw new IllegalArgumentException("users: " + users + " (expected: at least 1)");
        }
        if (customers < users) {
            throw new IllegalArgumentException(
                    "customers: " + customers + " (expected: at least one for each of " + users + " users)");
        }
        if (products < 1) {
            throw new IllegalArgumentException("products: " + products + " (expected: at least 1)");
        }
        notNegative("think", think);
        notNegative("downstream", downstream);
        notNegative("connect", connect);
        notNegative("warmUp", warmUp);
        if (measured.isNegative() || measured.isZero()) {
            throw new IllegalArgumentException("measured: " + measured + " (expected: more than 0)");
        }
    }

    private static void notNegative(String name, Duration value) {
        if (value.isNegative()) {
            throw new IllegalArgumentException(name + ": " + value + " (expected: 0 or more)");
        }
    }
}

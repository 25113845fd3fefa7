/**
 * One budget of connections for all JVMs of a fleet. {@link dev.weir.fleet.WeirFleet} is the object around a pool;
 * {@link dev.weir.fleet.FleetBudget} is where the shares are decided, {@link dev.weir.fleet.DatabaseBudget} the one
 * that ships: two tables of the database that the connections are for.
 */
@NullMarked
package dev.weir.fleet;

import org.jspecify.annotations.NullMarked;

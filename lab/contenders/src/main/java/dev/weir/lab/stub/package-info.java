/**
 * A JDBC driver without a database: objects are allocated as a driver would, and every call leaves a trace the compiler must keep.
 * It is there to measure over; the other stub, {@code StubDatabase} of the test kit, is there to test over, and what lets its
 * every call be delayed, hung, failed and counted would cost more than what is measured.
 */
@NullMarked
package dev.weir.lab.stub;

import org.jspecify.annotations.NullMarked;

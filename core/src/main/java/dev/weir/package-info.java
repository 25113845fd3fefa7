/**
 * What users see of the pool: {@link dev.weir.WeirDataSource} and what it is configured by. What users may implement is in
 * {@link dev.weir.spi}; the rest is in {@code dev.weir.internal}, which the module does not export and which may change with
 * any version.
 *
 * <p>One request goes this way; the files are read in this order:
 *
 * <pre>
 * WeirDataSource.getConnection()         one volatile read
 * Acquiring.acquire()                    slots.tryAcquire(), else queue; stale? check; ConnectionHandle.lent(slot)
 * Slots, Slot, WaitQueue                 CAS IDLE -&gt; IN_USE, waiters, hand-off: all memory ordering lives here
 * ConnectionHandle.prepareStatement      new PreparedStatementHandle(this, physical)
 * PreparedStatementHandle.executeQuery   delegate; SQLException -&gt; the pool classifies it
 * ConnectionHandle.close()               claim the slot once; close statements; roll back; restore what was touched
 * Returning.release(slot)                retire it, or queue.release(slot): the waiter who is due, else IDLE
 * </pre>
 *
 * <p>Off that path, each with one job: {@code Places} (why a connection is given up), {@code Opener} (asynchronous, bounded
 * connects), {@code Keeper} and {@code Housekeeper} (the one thread; lifetime, idle surplus, keepalive, ticks), {@code Supply}
 * and {@code Sizer} (when one more connection is worth opening), {@code Settings}. {@code ConnectionPool} puts the parts
 * together. Who may know whom, {@code docs/design.md} says.
 */
@NullMarked
package dev.weir;

import org.jspecify.annotations.NullMarked;

/**
 * The pool: {@link dev.weir.WeirDataSource} and what it is configured by are public, the engine is package-private.
 *
 * <p>One request goes this way; the files are read in this order:
 *
 * <pre>
 * WeirDataSource.getConnection()         pool.acquire()
 * ConnectionPool.acquire()               slots.tryAcquire(), else queue; stale? check; new ConnectionHandle(slot)
 * Slots, Slot, WaitQueue                 CAS IDLE -&gt; IN_USE, waiters, hand-off: all memory ordering lives here
 * ConnectionHandle.prepareStatement      new PreparedStatementHandle(this, physical)
 * PreparedStatementHandle.executeQuery   delegate; SQLException -&gt; the pool classifies it
 * ConnectionHandle.close()               claim the slot once; close statements; roll back; restore what was touched
 * ConnectionPool.release(slot)           retire it, or queue.release(slot): the waiter who is due, else IDLE
 * </pre>
 *
 * <p>Off that path, each with one job: {@code Opener} (asynchronous, bounded connects), {@code Keeper} (lifetime, idle
 * surplus, keepalive, leak scan, ticker), {@code Supply} and {@code Sizer} (when one more connection is worth opening),
 * {@code Settings}.
 */
@NullMarked
package dev.weir;

import org.jspecify.annotations.NullMarked;

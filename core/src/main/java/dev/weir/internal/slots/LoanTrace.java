package dev.weir.internal.slots;

import java.lang.ref.PhantomReference;
import java.lang.ref.ReferenceQueue;
import java.sql.Connection;
import java.util.Arrays;
import java.util.Set;

/**
 * Where a loan was acquired, and whether its handle can still be reached. Every handle of the loan (statement, result,
 * large object, stream) refers to the handle of the connection, and each of their methods needs it until the driver has
 * returned. So once the garbage collector has taken that handle, no thread can use or close the loan any more.
 *
 * <p>A phantom reference, which is enqueued after all finalizers: one of the user's may still close the connection.
 */
public final class LoanTrace extends PhantomReference<Connection> {
    /** The classes between the user's call and this. */
    private static final Set<String> OWN = Set.of(
            "dev.weir.internal.slots.LoanTrace",
            "dev.weir.internal.lending.Acquiring",
            "dev.weir.internal.engine.ConnectionPool",
            "dev.weir.WeirDataSource");

    public final Slot slot;

    /** The word of the loan, as its handle holds it. */
    public final long loanWord;

    /** The user held the driver's own object, which may live on without the handle. Written by the loan's threads. */
    public boolean unwrapped;

    private final Throwable site;

    public LoanTrace(Connection handle, Slot slot, long loanWord, ReferenceQueue<Connection> unreachable) {
        super(handle, unreachable);
        this.slot = slot;
        this.loanWord = loanWord;
        this.site = new Throwable("acquired here");
    }

    private static boolean isOwn(String type) {
        return OWN.contains(type) || type.startsWith("dev.weir.internal.binding.");
    }

    /** Where the loan was acquired: the frames of the user, without those of the pool above them. */
    public StackTraceElement[] acquiredAt() {
        StackTraceElement[] all = site.getStackTrace();
        int own = 0;
        while (own < all.length && isOwn(all[own].getClassName())) {
            own++;
        }
        return Arrays.copyOfRange(all, own, all.length);
    }
}

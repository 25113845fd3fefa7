package dev.weir;

import java.time.Duration;
import java.util.List;

/**
 * Where the time of loans went while it was measured: while a listener is there, {@code leakDetectionThreshold} is above 0, or
 * {@code measureLoans} is set. The sum of the four times is how long connections were in use, each counted by itself.
 *
 * <p>The pool samples: every 10 to 100 ms, and every 10 s while nothing is acquired, it looks at what each holder does, and counts
 * the time since the look before to that. Short loans are met in proportion, so the times are good for many loans and say nothing
 * of one. A loan that began before the measuring is left out.
 *
 * <p>Neither the driver nor the server is asked. The driver is at work in executions, commits, rollbacks, {@code ResultSet.next()}
 * and other moves among rows, and while close() cleans the connection. Metadata, large objects and savepoints count to what was
 * before them. A transaction begins with the first execution while auto-commit is off, and ends with commit(), rollback() or
 * setAutoCommit(true). One that SQL text begins or ends ({@code BEGIN}, {@code SET autocommit}) is not seen, nor is anything done
 * through an unwrapped connection.
 *
 * @param loans acquires while it was measured
 * @param beforeFirstStatement from the acquire until something was executed, or until close() if nothing was
 * @param inDriver the database at work: in the driver, which mostly waits for it
 * @param betweenTransactions after an execution, with no transaction open; also the rest of the loan after the last one
 * @param idleInTransaction with a transaction open, and the driver not at work
 * @param idlePlaces where holders were seen idle inside a transaction, as {@code OrderView.render}, the commonest first: the first
 *     frame of the thread's stack that is not the JDK's, a proxy's or a well-known framework's. The pool takes one stack a second
 *     at most; these are of the last 60
 * @param mostInUse the most connections that a look has found in use
 * @param neededForTransactions how many connections would do for what {@code mostInUse} do now, were each lent for its
 *     transactions alone: {@code mostInUse * (inDriver + idleInTransaction) / (the sum of the four)}, rounded up, at least 1; 0
 *     while less than 100 samples were taken, and where the driver does not tell exactly whether a transaction is open
 */
public record LoanTimes(
        long loans,
        Duration beforeFirstStatement,
        Duration inDriver,
        Duration betweenTransactions,
        Duration idleInTransaction,
        List<String> idlePlaces,
        int mostInUse,
        int neededForTransactions) {

    /** Copies the list. */
    public LoanTimes {
        idlePlaces = List.copyOf(idlePlaces);
    }

    /** Nothing was measured. */
    static final LoanTimes NONE =
            new LoanTimes(0, Duration.ZERO, Duration.ZERO, Duration.ZERO, Duration.ZERO, List.of(), 0, 0);
}

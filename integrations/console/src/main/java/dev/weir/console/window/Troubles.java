package dev.weir.console.window;

import dev.weir.console.window.PoolView.Counts;
import dev.weir.console.window.PoolView.Failure;
import dev.weir.console.window.PoolView.Holder;
import dev.weir.console.window.PoolView.Waiter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;

/** What is wrong with a pool at a look, in words: causes before what comes of them. */
final class Troubles {
    /** Longer than the longest pause between connects that fail. */
    private static final long FAILING_MILLIS = 60_000;

    /** A connect that takes this long is felt by whoever waits for it; as in the pool's messages. */
    private static final long SLOW_CONNECT_MILLIS = 500;

    private final List<String> found = new ArrayList<>();

    private Troubles() {}

    /**
     * Returns them; empty if all is well.
     *
     * @param known the looks of the last minute, this one last
     * @param holders the longest first, as the waiters are
     */
    static List<String> of(
            List<Sample> known,
            Counts counts,
            List<Holder> holders,
            List<Waiter> waiters,
            List<Failure> failures,
            long waitWarning) {
        Troubles troubles = new Troubles();
        troubles.leaks(holders);
        troubles.nested(holders, waiters);
        troubles.connects(known, counts, failures);
        boolean explained = !troubles.found.isEmpty();
        troubles.waits(known, counts, waiters, waitWarning);
        if (!explained && !troubles.found.isEmpty()) {
            troubles.sameHolders(counts, holders);
        }
        return List.copyOf(troubles.found);
    }

    private void add(String text, Object... values) {
        found.add(String.format(Locale.ROOT, text, values));
    }

    private static List<Holder> doing(String what, List<Holder> holders) {
        return holders.stream().filter(one -> one.doing().equals(what)).toList();
    }

    private void leaks(List<Holder> holders) {
        List<Holder> leaked = doing("leaked", holders);
        if (!leaked.isEmpty()) {
            Holder longest = leaked.get(0);
            add(
                    "connections that look leaked, since the code that acquired them has returned: %d; one for %s, acquired %s",
                    leaked.size(),
                    Times.text(longest.heldFor()),
                    longest.acquiredPlace() == null
                            ? "by thread '" + longest.thread() + "'"
                            : "at " + longest.acquiredPlace());
        }
    }

    /** Threads are known by their names, which tell nothing where two that wait have the same. */
    private void nested(List<Holder> holders, List<Waiter> waiters) {
        List<Holder> nested = doing("waits", holders).stream()
                .filter(one -> waiters.stream()
                                .filter(waiter -> waiter.thread().equals(one.thread()))
                                .count()
                        == 1)
                .toList();
        if (!nested.isEmpty()) {
            Holder shown = nested.stream()
                    .filter(one -> one.acquiredPlace() != null)
                    .findFirst()
                    .orElse(nested.get(0));
            add(
                    "%d of %d waiting threads hold a connection already (nested getConnection()%s%s",
                    nested.stream().map(Holder::thread).distinct().count(),
                    waiters.size(),
                    shown.acquiredPlace() == null ? ", or leaked before)" : "), acquired at " + shown.acquiredPlace(),
                    shown.place() == null ? "" : ", and ask for another at " + shown.place());
        }
    }

    private void connects(List<Sample> known, Counts counts, List<Failure> failures) {
        Sample now = known.get(known.size() - 1);
        boolean failed = known.size() > 1
                && now.openFailed() > known.get(known.size() - 2).openFailed();
        boolean fewer = counts.total() < counts.minimum() || counts.total() == 0;
        boolean lately = !failures.isEmpty() && failures.get(0).ago() < FAILING_MILLIS;
        if ((fewer && lately) || failed) {
            add(
                    "connects fail: %s",
                    failures.stream().findFirst().map(Failure::message).orElse("?"));
        } else if (lately) {
            add(
                    "connects failed until %s ago, and work again: %s",
                    Times.text(failures.get(0).ago()), failures.get(0).message());
        }
        if (counts.waiting() > 0
                && counts.total() < counts.maximum()
                && counts.oldestConnect() >= SLOW_CONNECT_MILLIS) {
            add(
                    "connects are slow: %d under way while threads wait, the oldest for %s",
                    counts.opening(), Times.text(counts.oldestConnect()));
        }
    }

    private void waits(List<Sample> known, Counts counts, List<Waiter> waiters, long waitWarning) {
        if (known.size() > 1) {
            PoolView.Rates rates = known.get(known.size() - 1).since(known.get(known.size() - 2));
            if (rates.timedOut() > 0) {
                add(
                        "%s timed out in %s",
                        count(rates.timedOut(), "acquire", "acquires"), Times.text(1_000 * rates.seconds()));
            }
        }
        if (!waiters.isEmpty() && waitWarning > 0 && waiters.get(0).waited() >= waitWarning) {
            add(
                    "%s, the longest for %s (waitWarningThreshold: %s)",
                    count(Math.max(counts.waiting(), waiters.size()), "thread waits", "threads wait"),
                    Times.text(waiters.get(0).waited()),
                    Times.text(waitWarning));
        }
    }

    /** Before what comes of it: most connections are held at one place for one statement. */
    private void sameHolders(Counts counts, List<Holder> holders) {
        if (counts.inUse() < counts.maximum()
                || holders.isEmpty()
                || holders.get(0).acquiredPlace() == null) {
            return;
        }
        Holder longest = holders.get(0);
        long same = holders.stream()
                .filter(one -> Objects.equals(one.acquiredPlace(), longest.acquiredPlace())
                        && Objects.equals(one.sql(), longest.sql()))
                .count();
        if (same > 1 && 2 * same >= counts.inUse()) {
            found.add(
                    0,
                    String.format(
                            Locale.ROOT,
                            "%d of %d connections are held at %s, the longest for %s%s",
                            same,
                            counts.inUse(),
                            longest.acquiredPlace(),
                            Times.text(longest.heldFor()),
                            longest.sql() == null ? "" : ", last SQL: " + longest.sql()));
        }
    }

    private static String count(long count, String one, String several) {
        return count + " " + (count == 1 ? one : several);
    }
}

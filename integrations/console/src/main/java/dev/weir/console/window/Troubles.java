package dev.weir.console.window;

import dev.weir.console.window.PoolView.Counts;
import dev.weir.console.window.PoolView.Failure;
import dev.weir.console.window.PoolView.Holder;
import dev.weir.console.window.PoolView.Waiter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.stream.IntStream;

/** What is wrong with a pool at a look, in words: causes before what comes of them. */
final class Troubles {
    /** Longer than the longest pause between connects that fail. */
    private static final long FAILING_MILLIS = 60_000;

    /** A loan that lasts so long is looked at. */
    private static final long LEAKED_MILLIS = 30_000;

    /** Twice the default of connectionTimeout: who takes a second connection has it by then, or gives up. */
    private static final long NESTED_MILLIS = 10_000;

    private static final long SLOW_CONNECT_MILLIS = 1_000;

    /** So many frames of the user's are known of a loan that was sampled; of others the whole stack is. */
    private static final int SAMPLED = 3;

    private final List<String> found = new ArrayList<>();

    private Troubles() {}

    /**
     * Returns them; empty if all is well.
     *
     * @param known the looks of the last minute, this one last
     * @param holders the longest first, as the waiters are
     * @param took milliseconds from before the holders were read until after the waiters were
     */
    static List<String> of(
            List<Sample> known,
            Counts counts,
            List<Holder> holders,
            List<Waiter> waiters,
            List<Failure> failures,
            long waitWarning,
            long took) {
        Troubles troubles = new Troubles();
        troubles.leaks(holders);
        troubles.nested(holders, waiters, took);
        troubles.connects(known, counts, waiters, failures);
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

    private void leaks(List<Holder> holders) {
        List<Holder> leaked = holders.stream().filter(Troubles::looksLeaked).toList();
        if (!leaked.isEmpty()) {
            Holder longest = leaked.get(0);
            add(
                    "connections that look leaked, since the code that acquired them has returned: %d; one for %d s, acquired %s",
                    leaked.size(),
                    longest.heldFor() / 1_000,
                    longest.acquiredPlace() == null
                            ? "by thread '" + longest.thread() + "'"
                            : "at " + longest.acquiredPlace());
        }
    }

    /** What the thread of a holder does, as its stack says: a call of the driver goes through the pool. */
    static String doing(Holder one) {
        if (looksLeaked(one)) {
            return "leaked";
        }
        if (one.stack().isEmpty() || isLeftBehind(one)) {
            return "unknown";
        }
        if (isAcquiring(one)) {
            return isOldAndUnknown(one) ? "unknown" : "waits";
        }
        return isIn("dev.weir.internal.", one) ? "database" : "application";
    }

    /** By getConnection(), or with another poolMode by a statement. */
    private static boolean isAcquiring(Holder one) {
        return isIn("dev.weir.internal.lending.Acquiring.", one);
    }

    private static boolean isIn(String part, Holder one) {
        return one.stack().stream().anyMatch(frame -> frame.contains(part));
    }

    private static boolean looksLeaked(Holder one) {
        return one.heldFor() >= LEAKED_MILLIS && isLeftBehind(one);
    }

    /** Whether it may be a leak of before, unless its thread has waited for most of that time. */
    private static boolean isOldAndUnknown(Holder one) {
        return one.heldFor() >= NESTED_MILLIS && one.acquiredAt().isEmpty();
    }

    /**
     * Whether its thread has ended, or has left the method that acquired the connection, which may be a helper, and the one that
     * called that. If it acquires anew, the innermost methods that both calls share tell nothing, and neither does a caller at the
     * same line: a server's thread makes the same call once more.
     */
    private static boolean isLeftBehind(Holder one) {
        String user = one.acquiredPlace();
        if (one.stack().isEmpty()) {
            return one.thread() != null;
        }
        if (user == null) {
            return false;
        }
        boolean sampled = one.acquiredAt().size() <= SAMPLED;
        List<String> stack = bare(one.stack());
        List<String> acquiredAt = bare(one.acquiredAt());
        List<String> place = sampled ? acquiredAt : from(user, acquiredAt);
        if (place.isEmpty()) {
            return false;
        }
        if (isAcquiring(one)) {
            List<String> users = from(Objects.requireNonNullElse(one.place(), ""), stack);
            List<String> now = users.isEmpty() ? stack : users;
            int shared = shared(place, now);
            List<String> rest = now.subList(shared, now.size());
            return rest.stream().noneMatch(frame -> method(frame).equals(method(place.get(0))))
                    && place.stream().limit(shared + 2).noneMatch(frame -> isAtOtherLine(rest, frame));
        }
        List<String> methods = stack.stream().map(Troubles::method).toList();
        return place.stream()
                .filter(frame -> sampled || isOf(user, frame))
                .limit(2)
                .noneMatch(frame -> methods.contains(method(frame)));
    }

    private static boolean isAtOtherLine(List<String> stack, String frame) {
        return stack.stream().anyMatch(now -> !now.equals(frame) && method(now).equals(method(frame)));
    }

    /** The frames from the first of this method on. */
    private static List<String> from(String method, List<String> frames) {
        return frames.stream().dropWhile(frame -> !isOf(method, frame)).toList();
    }

    private static boolean isOf(String method, String frame) {
        return method(frame).endsWith("." + method);
    }

    /** So many frames are equal, from the first. */
    private static int shared(List<String> some, List<String> others) {
        int most = Math.min(some.size(), others.size());
        return (int) IntStream.range(0, most)
                .takeWhile(i -> some.get(i).equals(others.get(i)))
                .count();
    }

    private static String method(String frame) {
        String bare = bare(frame);
        int end = bare.indexOf('(');
        return end < 0 ? bare : bare.substring(0, end);
    }

    private static List<String> bare(List<String> frames) {
        return frames.stream().map(Troubles::bare).toList();
    }

    /** Without class loader and module, {@code app//}, which the JDK writes or leaves out by how the stack was taken. */
    private static String bare(String frame) {
        return frame.substring(frame.lastIndexOf('/', frame.indexOf('(')) + 1);
    }

    /** Threads are known by their names, which tell nothing where two that wait have the same, or none, as virtual threads of an older pool. */
    private void nested(List<Holder> holders, List<Waiter> waiters, long took) {
        List<Waiter> nested = waiters.stream()
                .filter(one -> !one.thread().isEmpty() && holders.stream().anyMatch(holder -> holdsFor(holder, one)))
                .filter(one -> one.waited() > took) // else it may have returned the connection in between
                .filter(one -> waiters.stream()
                                .filter(other -> other.thread().equals(one.thread()))
                                .count()
                        == 1)
                .toList();
        if (!nested.isEmpty()) {
            Waiter one = nested.get(0);
            String acquired = holders.stream()
                    .filter(holder ->
                            nested.stream().anyMatch(waiter -> waiter.thread().equals(holder.thread())))
                    .map(Holder::acquiredPlace)
                    .filter(Objects::nonNull)
                    .findFirst()
                    .map(place -> "), acquired at " + place)
                    .orElse(", or leaked before)");
            add(
                    "%d of %d waiting threads hold a connection already (nested getConnection()%s%s",
                    nested.size(),
                    waiters.size(),
                    acquired,
                    one.place() == null ? "" : ", and ask for another at " + one.place());
        }
    }

    /** Whether the thread that waits holds this, and did not leak it before. */
    private static boolean holdsFor(Holder holder, Waiter waiter) {
        return waiter.thread().equals(holder.thread())
                && !isLeftBehind(holder)
                && (!isOldAndUnknown(holder) || 2 * waiter.waited() >= holder.heldFor());
    }

    private void connects(List<Sample> known, Counts counts, List<Waiter> waiters, List<Failure> failures) {
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
                    "connects failed until %.0f s ago, and work again: %s",
                    failures.get(0).ago() / 1e3, failures.get(0).message());
        }
        long since = now.upMillis();
        for (int i = known.size() - 1; i >= 0 && known.get(i).opensAsIn(now); i--) {
            since = known.get(i).upMillis();
        }
        if (counts.waiting() > 0 && now.upMillis() - since >= SLOW_CONNECT_MILLIS) {
            add(
                    "connects are slow: %d under way while threads wait, and none has ended for %.1f s",
                    counts.opening(), (now.upMillis() - since) / 1e3);
        } else if (counts.opening() > 0
                && counts.total() < counts.maximum()
                && !waiters.isEmpty()
                && waiters.get(0).waited() >= SLOW_CONNECT_MILLIS) { // at a first look, too
            add(
                    "connects are slow: %d under way, and a thread has waited for %.1f s",
                    counts.opening(), waiters.get(0).waited() / 1e3);
        }
    }

    private void waits(List<Sample> known, Counts counts, List<Waiter> waiters, long waitWarning) {
        if (known.size() > 1) {
            PoolView.Rates rates = known.get(known.size() - 1).since(known.get(known.size() - 2));
            if (rates.timedOut() > 0) {
                add("%s timed out in %.1f s", count(rates.timedOut(), "acquire", "acquires"), rates.seconds());
            }
        }
        if (!waiters.isEmpty() && waitWarning > 0 && waiters.get(0).waited() >= waitWarning) {
            add(
                    "%s, the longest for %d ms (waitWarningThreshold: %d ms)",
                    count(Math.max(counts.waiting(), waiters.size()), "thread waits", "threads wait"),
                    waiters.get(0).waited(),
                    waitWarning);
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
                            "%d of %d connections are held at %s, the longest for %.1f s%s",
                            same,
                            counts.inUse(),
                            longest.acquiredPlace(),
                            longest.heldFor() / 1e3,
                            longest.sql() == null ? "" : ", last SQL: " + longest.sql()));
        }
    }

    private static String count(long count, String one, String several) {
        return count + " " + (count == 1 ? one : several);
    }
}

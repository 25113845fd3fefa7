package dev.weir.testkit.servers;

import dev.weir.testkit.Await;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Finds threads that outlive what started them. Platform threads only: virtual ones cannot be listed.
 */
public final class ThreadsLeft {

    private final Set<Thread> before;

    private ThreadsLeft(Set<Thread> before) {
        this.before = before;
    }

    /** Remembers the threads that live now; {@link #none} then speaks of those started later. */
    public static ThreadsLeft sinceNow() {
        return new ThreadsLeft(Thread.getAllStackTraces().keySet());
    }

    /**
     * Asserts that no live thread has a name with this prefix, waiting for those that are about to end.
     *
     * @param limit how long to wait for them
     * @throws AssertionError if one is left, with the name and the stack of each
     */
    public static void assertNone(String namePrefix, Duration limit) {
        new ThreadsLeft(Set.of()).none(namePrefix, limit);
    }

    /**
     * Asserts that no thread that was started since {@link #sinceNow} and has a name with this prefix is left, waiting
     * for those that are about to end.
     *
     * @param limit how long to wait for them
     * @throws AssertionError if one is left, with the name and the stack of each
     */
    public void none(String namePrefix, Duration limit) {
        if (!Await.becomesTrue(limit, () -> left(namePrefix).isEmpty())) {
            List<Thread> left = left(namePrefix);
            if (!left.isEmpty()) {
                throw new AssertionError(left.size() + " threads left: " + describe(left));
            }
        }
    }

    private List<Thread> left(String namePrefix) {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.isAlive() && thread.getName().startsWith(namePrefix))
                .filter(thread -> !before.contains(thread) && thread != Thread.currentThread())
                .collect(Collectors.toList());
    }

    private static String describe(List<Thread> threads) {
        return threads.stream()
                .map(thread -> thread.getName() + " " + thread.getState() + " "
                        + Arrays.stream(thread.getStackTrace()).limit(8).collect(Collectors.toList()))
                .collect(Collectors.joining("; "));
    }
}

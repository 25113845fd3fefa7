package dev.weir.testkit.junit;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/** Looks at the threads that hold connections while a test runs; from its construction until it is stopped. */
final class HolderSampler {
    private static final long EVERY_MILLIS = 10;

    private final ScheduledExecutorService looker = Executors.newSingleThreadScheduledExecutor(task -> {
        Thread thread = new Thread(task, "connection-budget");
        thread.setDaemon(true);
        return thread;
    });
    private final Set<Holdings.Held> told = new HashSet<>();
    /** The stack in which each holder was seen waiting at the last look. */
    private Map<Holdings.Held, List<StackTraceElement>> last = Map.of();

    private final ScheduledFuture<?> looks;

    HolderSampler() {
        looks = looker.scheduleWithFixedDelay(this::look, EVERY_MILLIS, EVERY_MILLIS, TimeUnit.MILLISECONDS);
    }

    private void look() {
        Map<Holdings.Held, List<StackTraceElement>> now = new HashMap<>();
        for (Holdings.Held one : Holdings.ALL.ofTest()) {
            StackTraceElement[] frames = one.holder().getStackTrace();
            String wait = Stacks.waiting(frames);
            if (wait == null) {
                continue;
            }
            List<StackTraceElement> stack = List.of(frames);
            now.put(one, stack);
            if (stack.equals(last.get(one)) && told.add(one)) {
                Holdings.ALL.fault(one.holder().getName() + " " + wait + " while it holds a connection"
                        + Stacks.text(frames) + "\n  it holds one " + one.acquired());
            }
        }
        last = now;
    }

    void stop() throws InterruptedException {
        looks.cancel(false);
        looker.shutdown();
        looker.awaitTermination(1, TimeUnit.MINUTES);
    }
}

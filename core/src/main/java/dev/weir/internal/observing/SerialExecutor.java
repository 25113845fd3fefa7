package dev.weir.internal.observing;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * Runs tasks on a worker, one after the other, in the order in which they were given: calls of the user's code that may take
 * its time, a listener's or a log handler's, and that the Keeper does not make itself. Tasks that this code is too slow for are
 * left out.
 */
public final class SerialExecutor {
    private static final int MOST_TASKS = 1_000;

    /** Guarded by itself. */
    private final Queue<Runnable> tasks = new ArrayDeque<>(0);

    /** A worker runs them, or is about to; guarded by {@link #tasks}. */
    private boolean running;

    /** The thread that runs them, or ran them last. */
    private volatile @Nullable Thread runner;

    /** Throws if there is no thread; the task waits for the next one then, or for {@link #run}. */
    public void execute(Runnable task, Executor workers) {
        synchronized (tasks) {
            if (tasks.size() < MOST_TASKS) {
                tasks.add(task);
            }
            if (running) {
                return;
            }
            running = true;
        }
        try {
            workers.execute(this::run);
        } catch (Throwable noThread) {
            synchronized (tasks) {
                running = false;
            }
            throw noThread;
        }
    }

    /** Runs all there are, on this thread. */
    public void run() {
        runner = Thread.currentThread();
        for (; ; ) {
            Runnable task;
            synchronized (tasks) {
                task = tasks.poll();
                if (task == null) {
                    running = false;
                    return;
                }
            }
            try {
                task.run();
            } catch (Throwable e) { // an Error: the next one is run
            }
        }
    }

    /** Whether a task of this thread is under way, or was the last. */
    boolean isOfThisThread() {
        return runner == Thread.currentThread();
    }
}

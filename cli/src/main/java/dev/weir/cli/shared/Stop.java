package dev.weir.cli.shared;

import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * The wish to stop. Ctrl-C does not end the JVM but asks the program to wind down in its own order; a shutdown hook could only run beside all of these.
 */
public final class Stop {
    private static final int SIGINT = 2;
    private static final int SIGTERM = 15;

    private final CompletableFuture<@Nullable Void> requested = new CompletableFuture<>();
    private volatile int signal;
    private volatile Runnable answer = () -> {};

    /** Nobody asks but who holds this object. */
    public Stop() {}

    /** SIGINT and SIGTERM ask. Where the JVM does not offer them, they end the JVM as ever. */
    public static Stop onSignals() {
        Stop stop = new Stop();
        stop.on("INT", SIGINT);
        stop.on("TERM", SIGTERM);
        return stop;
    }

    /** By reflection, as {@code sun.misc.Signal}, the only way to a signal, is not in the API this is compiled for. */
    private void on(String name, int number) {
        try {
            Class<?> type = Class.forName("sun.misc.Signal");
            Class<?> handlerType = Class.forName("sun.misc.SignalHandler");
            Object handler = Proxy.newProxyInstance(
                    Stop.class.getClassLoader(),
                    new Class<?>[] {handlerType},
                    (proxy, method, arguments) -> switch (method.getName()) {
                        case "handle" -> {
                            request(number);
                            yield null;
                        }
                        case "equals" -> proxy == arguments[0];
                        case "hashCode" -> System.identityHashCode(proxy);
                        default -> "stop on " + name;
                    });
            Object instance = type.getConstructor(String.class).newInstance(name);
            type.getMethod("handle", type, handlerType).invoke(null, instance, handler);
        } catch (ReflectiveOperationException e) {
            System.getLogger(Stop.class.getName()).log(System.Logger.Level.DEBUG, "no handler for SIG" + name, e);
        }
    }

    /** Asks to stop, as a signal of this number does. */
    public void request(int number) {
        if (isRequested()) {
            return;
        }
        signal = number;
        requested.complete(null);
        answer.run();
    }

    /** What is done at once, by the thread that asks, to say that the wish was heard. */
    public void answerWith(Runnable firstAnswer) {
        answer = firstAnswer;
    }

    /** Whether somebody asked. */
    public boolean isRequested() {
        return requested.isDone();
    }

    /** Returns what completes when somebody asks; completing it otherwise asks nobody. */
    public CompletableFuture<@Nullable Void> requested() {
        return requested.copy();
    }

    /** Waits, and returns early, with true, when asked to stop. */
    public boolean await(Duration time) {
        try {
            requested.get(time.toNanos(), TimeUnit.NANOSECONDS);
        } catch (ExecutionException | TimeoutException e) {
            return isRequested();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return true;
    }

    /**
     * Waits until work has ended, however it ended, or somebody asks to stop, or the time is over.
     *
     * @return whether the work has ended
     * @throws InterruptedException if the thread is interrupted meanwhile
     */
    public boolean await(CompletableFuture<?> work, Duration limit) throws InterruptedException {
        try {
            CompletableFuture.anyOf(work, requested).get(limit.toNanos(), TimeUnit.NANOSECONDS);
        } catch (ExecutionException | TimeoutException e) {
            // Whose work it is asks how it ended.
        }
        return work.isDone();
    }

    /** 0, or what a shell expects of a program that a signal ended. */
    public int exitCode() {
        return isRequested() ? 128 + signal : 0;
    }
}

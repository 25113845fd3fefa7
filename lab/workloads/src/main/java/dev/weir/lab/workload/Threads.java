package dev.weir.lab.workload;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import org.jspecify.annotations.Nullable;

/** Starts platform threads, and virtual ones where the JDK has them (21 and newer; compiled for 17). */
public final class Threads {
    private static final @Nullable Method START_VIRTUAL = startVirtual();

    private Threads() {}

    public static boolean haveVirtual() {
        return START_VIRTUAL != null;
    }

    public static Thread start(boolean virtual, String name, Runnable task) {
        if (!virtual) {
            Thread thread = new Thread(null, task, name, 256 * 1024);
            thread.setDaemon(true);
            thread.start();
            return thread;
        }
        Method start = START_VIRTUAL;
        if (start == null) {
            throw new UnsupportedOperationException("virtual threads need JDK 21 or newer");
        }
        try {
            return (Thread) start.invoke(null, task);
        } catch (IllegalAccessException | InvocationTargetException e) {
            throw new IllegalStateException("a virtual thread could not be started", e);
        }
    }

    private static @Nullable Method startVirtual() {
        if (Runtime.version().feature() < 21) {
            return null;
        }
        try {
            return Thread.class.getMethod("startVirtualThread", Runnable.class);
        } catch (NoSuchMethodException e) {
            return null;
        }
    }
}

package shop;

import java.util.concurrent.Callable;
import java.util.concurrent.SynchronousQueue;

/** A user's code that acquires: a page, and the helper that all pages go through. */
public final class Checkout {
    private Checkout() {}

    /** The page. */
    public static <T> T pay(Callable<T> acquire) throws Exception {
        return Database.open(acquire);
    }

    /** Another page. */
    public static <T> T refund(Callable<T> acquire) throws Exception {
        return Database.open(acquire);
    }

    /** A page that takes two, one after the other. */
    public static <T> T payTwice(Callable<? extends AutoCloseable> first, Callable<T> second) throws Exception {
        try (AutoCloseable ignored = Database.open(first)) {
            return Database.open(second);
        }
    }

    /** Acquires, and uses the connection on the same line until somebody takes it. */
    public static <T> void hand(SynchronousQueue<T> taker, Callable<T> acquire) throws Exception {
        taker.put(acquire.call());
    }

    /** The page, from a stack of this many frames more. */
    public static <T> T payDeep(int frames, Callable<T> acquire) throws Exception {
        return frames == 0 ? pay(acquire) : payDeep(frames - 1, acquire);
    }

    /** The helper. */
    public static final class Database {
        private Database() {}

        /** Acquires. */
        public static <T> T open(Callable<T> acquire) throws Exception {
            return acquire.call();
        }
    }
}

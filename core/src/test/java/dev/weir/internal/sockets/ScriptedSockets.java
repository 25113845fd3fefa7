package dev.weir.internal.sockets;

import java.io.InputStream;
import java.lang.reflect.Field;
import java.util.function.BooleanSupplier;

/** A socket under a connection that leads nowhere: a test says whether its server has spoken. */
public final class ScriptedSockets {
    private ScriptedSockets() {}

    public static WatchedSockets whoseServer(BooleanSupplier hasSpoken) {
        WatchedSockets made = WatchedSockets.begin();
        try {
            Field incoming = WatchedSocket.class.getDeclaredField("incoming");
            incoming.setAccessible(true);
            incoming.set(WatchedSockets.newSocket(null), new Incoming(hasSpoken));
        } catch (ReflectiveOperationException e) {
            throw new LinkageError("the field of the socket", e);
        } finally {
            made.end();
        }
        return made;
    }

    @SuppressWarnings("InputStreamSlowMultibyteRead") // nobody reads it
    private static final class Incoming extends InputStream {
        private final BooleanSupplier hasSpoken;

        Incoming(BooleanSupplier hasSpoken) {
            this.hasSpoken = hasSpoken;
        }

        @Override
        public int available() {
            return hasSpoken.getAsBoolean() ? 1 : 0;
        }

        @Override
        public int read() {
            throw new AssertionError("the pool reads what is the driver's");
        }
    }
}

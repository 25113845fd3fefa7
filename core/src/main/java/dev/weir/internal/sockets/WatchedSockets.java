package dev.weir.internal.sockets;

import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The sockets under one connection: those that were made while it was opened, and that the driver still uses by the end of
 * that. Mostly one; some drivers hold several servers by one connection.
 *
 * <p>A factory that the driver makes finds the connect it works for by the number it was given, where the driver passes one
 * on, whatever thread that is on; else by the thread. A socket that a driver opens later, to cancel a statement, belongs to none.
 */
public final class WatchedSockets {
    private static final AtomicLong NUMBERS = new AtomicLong();

    /** The connects that are under way, each by its number and by its thread. */
    private static final Map<Object, WatchedSockets> UNDER_WAY = new ConcurrentHashMap<>();

    private static final WatchedSocket[] NONE = {};

    private final String number = Long.toString(NUMBERS.incrementAndGet());
    private final Thread thread = Thread.currentThread();
    private final List<WatchedSocket> created = new CopyOnWriteArrayList<>();

    /** Written before the connection is lent. */
    private WatchedSocket[] sockets = NONE;

    private WatchedSockets() {}

    /** From now on, until {@link #end}, the sockets that this thread makes are remembered, and those made for {@link #number}. */
    public static WatchedSockets begin() {
        WatchedSockets begun = new WatchedSockets();
        UNDER_WAY.put(begun.number, begun);
        UNDER_WAY.put(begun.thread, begun);
        return begun;
    }

    /** The connect is over. */
    public void end() {
        UNDER_WAY.remove(number);
        UNDER_WAY.remove(thread, this);
        List<WatchedSocket> used = new ArrayList<>();
        for (WatchedSocket socket : created) {
            if (socket.isUsed()) {
                used.add(socket);
            }
        }
        sockets = used.toArray(NONE);
        created.clear();
    }

    /** Names this connect to a factory that is made on another thread. */
    String number() {
        return number;
    }

    /** A socket for the connect of this number, or else of this thread; a plain one if there is none. */
    static Socket newSocket(@Nullable String number) {
        WatchedSockets connect = UNDER_WAY.get(number == null ? Thread.currentThread() : number);
        if (connect == null) {
            return new Socket();
        }
        WatchedSocket socket = new WatchedSocket();
        connect.created.add(socket);
        return socket;
    }

    /** Whether there is no socket to look at: the driver made its own. */
    public boolean isEmpty() {
        return sockets.length == 0;
    }

    /**
     * Whether the server has said nothing that was not read. Words unasked on an idle connection are mostly a farewell.
     * One system call, which does not block.
     */
    public boolean isSilent() {
        for (WatchedSocket socket : sockets) {
            if (!socket.isSilent()) {
                return false;
            }
        }
        return true;
    }
}

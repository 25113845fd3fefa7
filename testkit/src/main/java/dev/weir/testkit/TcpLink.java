package dev.weir.testkit;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * One connection through the proxy: two sockets, and a thread for each direction. A link that swallowed anything can
 * never pass bytes again, since the stream would have a hole in it.
 */
final class TcpLink {

    private static final int CONNECT_LIMIT_MILLIS = 5_000;

    private final TcpProxy proxy;
    private final Socket client;
    private final Socket server = new Socket();
    private final InetSocketAddress target;
    private final AtomicInteger ended = new AtomicInteger();
    private volatile boolean lostBytes;

    /** Whether nothing came from the client since the server spoke last. */
    private volatile boolean answered = true;

    /** The number of bytes that may still go to the client. */
    private final AtomicLong left = new AtomicLong(Long.MAX_VALUE);

    private volatile @Nullable Thread up;
    private volatile @Nullable Thread down;

    TcpLink(TcpProxy proxy, Socket client, InetSocketAddress target) {
        this.proxy = proxy;
        this.client = client;
        this.target = target;
    }

    void start(String name) {
        Thread thread = new Thread(() -> connectAndPump(name), "weir-proxy-" + name + "-up");
        thread.setDaemon(true);
        up = thread;
        thread.start();
    }

    int targetPort() {
        return target.getPort();
    }

    boolean hasLostBytes() {
        return lostBytes;
    }

    /** Ends both sockets with RST instead of FIN: a zero linger time drops what was not sent. */
    void reset() {
        abort(client);
        abort(server);
        proxy.forget(this);
    }

    /** Ends both sockets with FIN. */
    void finish() {
        TcpProxy.closeQuietly(client);
        TcpProxy.closeQuietly(server);
        proxy.forget(this);
    }

    void loseBytes() {
        lostBytes = true;
    }

    void finishAfter(int bytes) {
        left.set(bytes);
    }

    void join(Duration limit) {
        Thread first = up;
        if (first != null) {
            TcpProxy.joinQuietly(first, limit);
        }
        Thread second = down;
        if (second != null) {
            TcpProxy.joinQuietly(second, limit);
        }
    }

    private void connectAndPump(String name) {
        try {
            client.setTcpNoDelay(true);
            if (proxy.isSwallowing()) {
                lostBytes = true;
            } else {
                server.connect(target, CONNECT_LIMIT_MILLIS);
                server.setTcpNoDelay(true);
                Thread thread = new Thread(() -> pump(server, client), "weir-proxy-" + name + "-down");
                thread.setDaemon(true);
                down = thread;
                thread.start();
            }
        } catch (IOException e) {
            reset();
            return;
        }
        pump(client, server);
    }

    private void pump(Socket from, Socket to) {
        byte[] buffer = new byte[16 * 1024];
        try {
            InputStream in = from.getInputStream();
            for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
                if (to == client) {
                    answered = true;
                } else if (answered) {
                    answered = false;
                    proxy.roundTrips.incrementAndGet();
                }
                if (!swallows()) {
                    holdBack();
                    long may = to == client ? left.getAndAdd(-n) : n;
                    to.getOutputStream().write(buffer, 0, (int) Math.max(0, Math.min(may, n)));
                    if (may <= n && to == client) {
                        finish();
                        return;
                    }
                }
            }
            endOfStream(to);
        } catch (IOException e) {
            broken();
        }
    }

    private boolean swallows() {
        if (proxy.isSwallowing()) {
            lostBytes = true;
        }
        return lostBytes;
    }

    private void holdBack() {
        long deadline = System.nanoTime() + proxy.delayNanos();
        for (long left = deadline - System.nanoTime(); left > 0; left = deadline - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
    }

    private void endOfStream(Socket to) throws IOException {
        if (swallows()) {
            return;
        }
        to.shutdownOutput();
        if (ended.incrementAndGet() == 2) {
            TcpProxy.closeQuietly(client);
            TcpProxy.closeQuietly(server);
            proxy.forget(this);
        }
    }

    private void broken() {
        if (!swallows()) {
            reset();
        }
    }

    /** Ends a socket with RST. */
    static void abort(Socket socket) {
        try {
            socket.setSoLinger(true, 0);
        } catch (SocketException ignored) {
            // Closed or never connected: there is nothing to reset.
        }
        TcpProxy.closeQuietly(socket);
    }
}

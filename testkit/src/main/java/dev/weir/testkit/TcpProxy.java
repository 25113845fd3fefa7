package dev.weir.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A TCP proxy on 127.0.0.1, or another address of this machine, that stands between a client and a server and misbehaves on demand. Every switch takes effect
 * before it returns, for bytes that arrive afterwards. Thread-safe. {@link #close()} ends every connection and thread.
 *
 * <pre>
 *            blackHole()                     refuse()
 *  passing ---------------&gt; swallowing     any ---------&gt; no listener
 *     ^        pass()           |           ^   accept()      |
 *     +-------------------------+           +-----------------+
 *
 *             turnAway()
 *  any &lt;--------------------&gt; every new connection is reset
 *              accept()
 * </pre>
 */
public final class TcpProxy implements AutoCloseable {

    private static final Duration JOIN_LIMIT = Duration.ofSeconds(5);

    private final InetAddress address;
    private volatile InetSocketAddress target;
    private final int port;
    private final Set<TcpLink> links = ConcurrentHashMap.newKeySet();
    private final AtomicInteger accepted = new AtomicInteger();
    final AtomicLong roundTrips = new AtomicLong();
    private volatile boolean swallowing;
    private volatile boolean turningAway;
    private volatile long delayNanos;
    private volatile Runnable onAccept = () -> {};
    private volatile Set<TcpLink> spared = Set.of();

    // guarded by this
    private @Nullable ServerSocket listener;
    private @Nullable Thread acceptor;
    private boolean closed;

    /**
     * Listens on a free port of 127.0.0.1.
     *
     * @param targetHost where connections lead, asked for each of them
     * @param targetPort the port there
     * @throws UncheckedIOException if the proxy cannot listen
     */
    public TcpProxy(String targetHost, int targetPort) {
        this("127.0.0.1", 0, targetHost, targetPort);
    }

    /**
     * Listens on an address of the loopback network, so that two servers can have one port and different addresses.
     *
     * @param address such as 127.0.0.2; Linux has all that begin with 127, other systems only the first
     * @param port where to listen, or 0 for a free one
     * @param targetHost where connections lead, asked for each of them
     * @param targetPort the port there
     * @throws UncheckedIOException if the proxy cannot listen
     * @throws IllegalArgumentException if the address is none of the loopback network
     */
    public TcpProxy(String address, int port, String targetHost, int targetPort) {
        this.target = new InetSocketAddress(targetHost, targetPort);
        try {
            this.address = InetAddress.getByName(address);
            if (!this.address.isLoopbackAddress()) {
                throw new IllegalArgumentException("address: " + address + " (expected: 127.0.0.0/8)");
            }
            this.port = listen(port);
        } catch (IOException e) {
            throw new UncheckedIOException("the proxy cannot listen on " + address + ":" + port, e);
        }
    }

    /** Returns the port it listens on; it stays the same for the life of the proxy. */
    public int port() {
        return port;
    }

    /** Leads new connections to another server, as a name does that was switched. Open connections stay where they are. */
    public void retarget(String targetHost, int targetPort) {
        target = new InetSocketAddress(targetHost, targetPort);
    }

    /** Returns how many connections were accepted so far. */
    public int accepted() {
        return accepted.get();
    }

    /** Returns how often a client spoke first or after an answer, all connections together. */
    public long roundTrips() {
        return roundTrips.get();
    }

    /** Runs this for each connection from now on that is accepted, those included that are turned away; not for long. */
    public void onAccept(Runnable task) {
        onAccept = task;
    }

    /** Returns how many connections are open now. */
    public int open() {
        return links.size();
    }

    /** Returns how many connections to this port, of whatever target they had, are open now. */
    public int openTo(int targetPort) {
        return (int)
                links.stream().filter(link -> link.targetPort() == targetPort).count();
    }

    /** Passes bytes on without delay. Connections that lost bytes in the black hole are reset. */
    public void pass() {
        swallowing = false;
        delayNanos = 0;
        for (TcpLink link : links) {
            if (link.hasLostBytes()) {
                link.reset();
            }
        }
    }

    /**
     * Keeps every connection open, accepts new ones, and swallows all bytes both ways, ends of streams included: what a
     * network that drops packets looks like to those who wait for an answer.
     */
    public void blackHole() {
        swallowing = true;
    }

    /**
     * Holds every piece of data back before it is passed on; both ways count.
     *
     * @param each how long, from the arrival of a piece; pieces of one direction stay in order
     */
    public void delay(Duration each) {
        delayNanos = each.toNanos();
    }

    /**
     * Spares so many of the connections that are open now from {@link #resetAll()}, {@link #finishAll()},
     * {@link #forgetOpen()} and {@link #finishOpenAfter}; 0 spares none.
     */
    public void spare(int connections) {
        spared = links.stream().limit(connections).collect(Collectors.toUnmodifiableSet());
    }

    private Stream<TcpLink> notSpared() {
        return links.stream().filter(link -> !spared.contains(link));
    }

    /** Resets every open connection (RST to both ends). New ones are accepted. */
    public void resetAll() {
        notSpared().forEach(TcpLink::reset);
    }

    /** Closes every open connection (FIN to both ends), without a word of the server's. New ones are accepted. */
    public void finishAll() {
        notSpared().forEach(TcpLink::finish);
    }

    /**
     * Swallows from now on all bytes of the connections that are open, both ways, and passes those of new ones: what a firewall
     * or a router does that forgot its flows.
     */
    public void forgetOpen() {
        notSpared().forEach(TcpLink::loseBytes);
    }

    /**
     * Closes each connection that is open now (FIN to both ends) once so many more bytes have gone to its client, be it in the
     * midst of an answer.
     */
    public void finishOpenAfter(int bytes) {
        notSpared().forEach(link -> link.finishAfter(bytes));
    }

    /** Closes the listener, so that connects are refused. Open connections are not touched. */
    public void refuse() {
        closeListener();
    }

    /**
     * Resets every new connection at once, as what stands before a server that is gone; unlike those that are refused they
     * are counted. Open connections are not touched.
     */
    public void turnAway() {
        turningAway = true;
    }

    /**
     * Accepts connections again after {@link #turnAway()}, and listens again on the same port after {@link #refuse()}.
     *
     * @throws UncheckedIOException if another process took the port
     */
    public void accept() {
        turningAway = false;
        try {
            listen(port);
        } catch (IOException e) {
            throw new UncheckedIOException("the proxy cannot listen on " + address + ":" + port, e);
        }
    }

    /** Ends every connection and every thread of this proxy. A second call does nothing. */
    @Override
    public void close() {
        synchronized (this) {
            closed = true;
        }
        closeListener();
        for (TcpLink link : links) {
            link.reset();
            link.join(JOIN_LIMIT);
        }
    }

    boolean isSwallowing() {
        return swallowing;
    }

    long delayNanos() {
        return delayNanos;
    }

    void forget(TcpLink link) {
        links.remove(link);
    }

    private synchronized int listen(int wanted) throws IOException {
        if (closed) {
            throw new IOException("the proxy is closed");
        }
        if (listener != null) {
            return listener.getLocalPort();
        }
        ServerSocket socket = new ServerSocket();
        try {
            socket.setReuseAddress(true);
            socket.bind(new InetSocketAddress(address, wanted), 1024);
        } catch (IOException e) {
            socket.close();
            throw e;
        }
        listener = socket;
        int bound = socket.getLocalPort();
        acceptor = new Thread(() -> acceptLoop(socket), "weir-proxy-" + bound + "-accept");
        acceptor.setDaemon(true);
        acceptor.start();
        return bound;
    }

    private void closeListener() {
        Thread ended;
        synchronized (this) {
            if (listener == null) {
                return;
            }
            closeQuietly(listener);
            listener = null;
            ended = acceptor;
            acceptor = null;
        }
        if (ended != null) {
            joinQuietly(ended, JOIN_LIMIT);
        }
    }

    private void acceptLoop(ServerSocket socket) {
        while (!socket.isClosed()) {
            try {
                Socket client = socket.accept();
                accepted.incrementAndGet();
                onAccept.run();
                if (turningAway) {
                    TcpLink.abort(client);
                } else {
                    start(client);
                }
            } catch (IOException ignored) {
                // Either the listener was closed, which ends the loop, or the client left before it was accepted.
            }
        }
    }

    private void start(Socket client) {
        TcpLink link = new TcpLink(this, client, target);
        synchronized (this) {
            if (closed) {
                link.reset();
                return;
            }
            links.add(link);
            link.start(port + "-" + accepted.get());
        }
    }

    static void closeQuietly(AutoCloseable closeable) {
        try {
            closeable.close();
        } catch (Exception ignored) {
            // It is closed as far as anybody can tell.
        }
    }

    static void joinQuietly(Thread thread, Duration limit) {
        try {
            thread.join(limit.toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}

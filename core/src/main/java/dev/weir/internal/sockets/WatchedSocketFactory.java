package dev.weir.internal.sockets;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.util.Properties;
import javax.net.SocketFactory;
import org.jspecify.annotations.Nullable;

/** Makes the sockets of pgjdbc and of MariaDB's driver, which load this class by its name. */
public final class WatchedSocketFactory extends SocketFactory {
    private final @Nullable String number;

    /** For a driver that connects on the thread that asks it to. */
    public WatchedSocketFactory() {
        this(new Properties());
    }

    /**
     * For pgjdbc, which looks for this constructor first and takes any other only after it has failed to find it, at
     * each connect; {@code info}: of the connect, with its number from {@link WatchedSockets}.
     */
    public WatchedSocketFactory(Properties info) {
        this.number = info.getProperty(SocketProperties.PG_ARGUMENT);
    }

    @Override
    public Socket createSocket() {
        return WatchedSockets.newSocket(number);
    }

    // Drivers connect the socket themselves; for one that does not it is a plain one.

    @Override
    public Socket createSocket(String host, int port) throws IOException {
        return getDefault().createSocket(host, port);
    }

    @Override
    public Socket createSocket(InetAddress host, int port) throws IOException {
        return getDefault().createSocket(host, port);
    }

    @Override
    public Socket createSocket(String host, int port, @Nullable InetAddress localHost, int localPort)
            throws IOException {
        return getDefault().createSocket(host, port, localHost, localPort);
    }

    @Override
    public Socket createSocket(InetAddress host, int port, @Nullable InetAddress localHost, int localPort)
            throws IOException {
        return getDefault().createSocket(host, port, localHost, localPort);
    }
}

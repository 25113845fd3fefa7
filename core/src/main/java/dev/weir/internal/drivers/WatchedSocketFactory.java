package dev.weir.internal.drivers;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
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

    @Override
    public Socket createSocket(String host, int port) throws IOException {
        return createSocket(InetAddress.getByName(host), port);
    }

    @Override
    public Socket createSocket(InetAddress host, int port) throws IOException {
        return createSocket(host, port, null, 0);
    }

    @Override
    public Socket createSocket(String host, int port, @Nullable InetAddress localHost, int localPort)
            throws IOException {
        return createSocket(InetAddress.getByName(host), port, localHost, localPort);
    }

    @Override
    @SuppressWarnings("AddressSelection") // the address was given
    public Socket createSocket(InetAddress host, int port, @Nullable InetAddress localHost, int localPort)
            throws IOException {
        Socket socket = createSocket();
        try {
            if (localHost != null || localPort != 0) {
                socket.bind(new InetSocketAddress(localHost, localPort));
            }
            socket.connect(new InetSocketAddress(host, port));
            return socket;
        } catch (Throwable e) {
            socket.close();
            throw e;
        }
    }
}

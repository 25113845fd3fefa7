package dev.weir.internal.sockets;

import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import org.jspecify.annotations.Nullable;

/**
 * A plain socket, as a driver would have made it, whose incoming side the pool can look at while nobody uses the connection.
 *
 * <p>Not the socket of a channel: that is closed when a thread that uses it is interrupted. So {@link #isSilent} sees bytes
 * that wait, but neither the end of the stream nor a reset; those are found by a test.
 */
final class WatchedSocket extends Socket {
    /** Set when the driver first asks for it, which is before the connection is anybody else's. */
    private volatile @Nullable InputStream incoming;

    @Override
    public InputStream getInputStream() throws IOException {
        InputStream in = super.getInputStream();
        incoming = in;
        return in;
    }

    /** Whether the driver reads from it, so that there is something to look at. */
    boolean isUsed() {
        return incoming != null && !isClosed();
    }

    /** Whether no byte waits to be read. One system call, which does not block; any thread may ask at any time. */
    boolean isSilent() {
        InputStream known = incoming;
        try {
            return known != null && known.available() == 0;
        } catch (IOException e) {
            return false; // it was closed
        }
    }
}

package dev.weir.internal.drivers;

import java.io.EOFException;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A plain socket, as a driver would have made it, whose incoming side the pool can look at while nobody uses the connection.
 *
 * <p>Not the socket of a channel: that is closed when a thread that uses it is interrupted. So {@link #isSilent} sees bytes
 * that wait, but neither the end of the stream nor a reset; those are found by {@link #probe}, which reads.
 */
final class WatchedSocket extends Socket {
    private static final int PROBE_MILLIS = 1;

    /** Made when the driver first asks for it, which is before the connection is anybody else's. */
    private volatile @Nullable Incoming incoming;

    /** The same each time, since what {@link #probe} read is kept in it. */
    @Override
    public InputStream getInputStream() throws IOException {
        Incoming known = incoming;
        if (known == null) {
            known = new Incoming(super.getInputStream());
            incoming = known;
        }
        return known;
    }

    /** Whether the driver reads from it, so that there is something to look at. */
    boolean isUsed() {
        return incoming != null && !isClosed();
    }

    /** Whether no byte waits to be read. One system call, which does not block; any thread may ask at any time. */
    boolean isSilent() {
        Incoming known = incoming;
        try {
            return known != null && known.available() == 0;
        } catch (IOException e) {
            return false; // it was closed
        }
    }

    /**
     * Reads one byte, waits a millisecond for it, and keeps it for the driver. Only for the owner of an idle connection: it
     * must not meet a read of the driver's.
     *
     * @return whether the server was silent
     * @throws IOException if the server has ended the connection
     */
    boolean probe() throws IOException {
        Incoming known = incoming;
        if (known == null || isClosed() || known.available() > 0) {
            return false; // closed by the driver, which may have made another: only a test can tell
        }
        int before = getSoTimeout();
        setSoTimeout(PROBE_MILLIS);
        try {
            known.readAhead();
            return false;
        } catch (SocketTimeoutException e) {
            return true;
        } finally {
            setSoTimeout(before);
        }
    }

    /** What comes in; a byte that was read ahead comes first. Guarded by the ownership of the slot. */
    private static final class Incoming extends FilterInputStream {
        private static final int NONE = -1;

        private int ahead = NONE;

        Incoming(InputStream in) {
            super(in);
        }

        void readAhead() throws IOException {
            int read = in.read();
            if (read < 0) {
                throw new EOFException("the server closed the connection");
            }
            ahead = read;
        }

        private int takeAhead() {
            int taken = ahead;
            ahead = NONE;
            return taken;
        }

        @Override
        public int read() throws IOException {
            return ahead == NONE ? in.read() : takeAhead();
        }

        @Override
        public int read(byte[] into, int offset, int length) throws IOException {
            if (ahead == NONE || length == 0) {
                return in.read(into, offset, length);
            }
            Objects.checkFromIndexSize(offset, length, into.length);
            into[offset] = (byte) takeAhead();
            return 1;
        }

        @Override
        public long skip(long count) throws IOException {
            if (ahead == NONE || count <= 0) {
                return in.skip(count);
            }
            takeAhead();
            return 1;
        }

        @Override
        public int available() throws IOException {
            return ahead == NONE ? in.available() : 1 + in.available();
        }
    }
}

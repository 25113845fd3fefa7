package dev.weir.internal.handles;

import java.io.IOException;
import java.io.InputStream;

/**
 * What a user holds of an InputStream of the driver. As each of the four stream handles: it dies with the loan, every call on
 * it after that throws an IOException and none reaches the driver, close() and flush() do nothing then.
 *
 * <p>At the end of the loan the driver's stream is let go, not closed. To close one may write what it holds back into a large
 * object: work that its user never asked for, over the network, in a transaction that is about to be rolled back, or in a new
 * one. Nothing is lost by it: what a stream holds at the server (the descriptor of a large object, a cursor) ends with its
 * transaction or statement, both of which the return of the connection ends, and the bytes that it holds here go with it.
 */
final class InputStreamHandle extends InputStream {
    private final AbstractConnectionHandle connection;
    private final InputStream physical;

    InputStreamHandle(AbstractConnectionHandle connection, InputStream physical) {
        this.connection = connection;
        this.physical = physical;
    }

    @Override
    public int read() throws IOException {
        connection.checkStream();
        try {
            return physical.read();
        } catch (Throwable e) {
            throw connection.streamFailed(e);
        }
    }

    @Override
    public int read(byte[] bytes, int offset, int length) throws IOException {
        connection.checkStream();
        try {
            return physical.read(bytes, offset, length);
        } catch (Throwable e) {
            throw connection.streamFailed(e);
        }
    }

    @Override
    public long skip(long count) throws IOException {
        connection.checkStream();
        try {
            return physical.skip(count);
        } catch (Throwable e) {
            throw connection.streamFailed(e);
        }
    }

    @Override
    public int available() throws IOException {
        connection.checkStream();
        try {
            return physical.available();
        } catch (Throwable e) {
            throw connection.streamFailed(e);
        }
    }

    @Override
    public boolean markSupported() {
        try {
            return connection.isLive() && physical.markSupported();
        } catch (Throwable e) {
            throw connection.connectionBroken(e);
        }
    }

    @Override
    public void mark(int limit) {
        try {
            if (connection.isLive()) {
                connection.markWork();
                physical.mark(limit);
            }
        } catch (Throwable e) {
            throw connection.connectionBroken(e);
        }
    }

    @Override
    public void reset() throws IOException {
        connection.checkStream();
        try {
            physical.reset();
        } catch (Throwable e) {
            throw connection.streamFailed(e);
        }
    }

    @Override
    public void close() throws IOException {
        if (connection.isLive()) {
            connection.markWork();
            try {
                physical.close();
            } catch (Throwable e) {
                throw connection.streamFailed(e);
            }
        }
    }
}

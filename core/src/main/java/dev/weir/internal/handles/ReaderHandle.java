package dev.weir.internal.handles;

import java.io.IOException;
import java.io.Reader;

/** What a user holds of a Reader of the driver; see {@link InputStreamHandle}. */
final class ReaderHandle extends Reader {
    private final AbstractConnectionHandle connection;
    private final Reader physical;

    ReaderHandle(AbstractConnectionHandle connection, Reader physical) {
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
    public int read(char[] characters, int offset, int length) throws IOException {
        connection.checkStream();
        try {
            return physical.read(characters, offset, length);
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
    public boolean ready() throws IOException {
        connection.checkStream();
        try {
            return physical.ready();
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
    public void mark(int limit) throws IOException {
        connection.checkStream();
        try {
            physical.mark(limit);
        } catch (Throwable e) {
            throw connection.streamFailed(e);
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

package dev.weir.internal.handles;

import java.io.IOException;
import java.io.OutputStream;

/** What a user holds of an OutputStream of the driver; see {@link InputStreamHandle}. */
final class OutputStreamHandle extends OutputStream {
    private final AbstractConnectionHandle connection;
    private final OutputStream physical;

    OutputStreamHandle(AbstractConnectionHandle connection, OutputStream physical) {
        this.connection = connection;
        this.physical = physical;
    }

    @Override
    public void write(int value) throws IOException {
        connection.checkStream();
        try {
            physical.write(value);
        } catch (Throwable e) {
            throw connection.streamFailed(e);
        }
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
        connection.checkStream();
        try {
            physical.write(bytes, offset, length);
        } catch (Throwable e) {
            throw connection.streamFailed(e);
        }
    }

    @Override
    public void flush() throws IOException {
        if (connection.isLive()) {
            connection.markWork();
            try {
                physical.flush();
            } catch (Throwable e) {
                throw connection.streamFailed(e);
            }
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

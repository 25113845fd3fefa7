package dev.weir.internal.handles;

import java.io.IOException;
import java.io.Writer;

/** What a user holds of a Writer of the driver; see {@link InputStreamHandle}. */
final class WriterHandle extends Writer {
    private final AbstractConnectionHandle connection;
    private final Writer physical;

    WriterHandle(AbstractConnectionHandle connection, Writer physical) {
        this.connection = connection;
        this.physical = physical;
    }

    @Override
    public void write(int character) throws IOException {
        connection.checkStream();
        try {
            physical.write(character);
        } catch (Throwable e) {
            throw connection.streamFailed(e);
        }
    }

    @Override
    public void write(char[] characters, int offset, int length) throws IOException {
        connection.checkStream();
        try {
            physical.write(characters, offset, length);
        } catch (Throwable e) {
            throw connection.streamFailed(e);
        }
    }

    @Override
    public void write(String text, int offset, int length) throws IOException {
        connection.checkStream();
        try {
            physical.write(text, offset, length);
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

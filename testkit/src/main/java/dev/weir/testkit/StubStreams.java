package dev.weir.testkit;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.Reader;
import java.io.Writer;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * Streams of the stub driver. Each call is one of the session's, noted as {@code InputStream.read} or
 * {@code Writer.close}. Written data is held back until flush() or close(), which write it as one row, as the streams
 * of real large objects do.
 */
final class StubStreams {
    private StubStreams() {}

    /** A stream of this type, or null if it is none. */
    static @Nullable Object of(StubSession session, Class<?> wanted) {
        if (wanted == InputStream.class) {
            return new In(session);
        } else if (wanted == Reader.class) {
            return new Characters(session);
        } else if (wanted == OutputStream.class) {
            return new Out(session);
        } else {
            return wanted == Writer.class ? new Text(session) : null;
        }
    }

    private static void enter(StubSession session, String method) throws IOException {
        try {
            session.enter(method, new Object[0]);
            if (session.isClosed()) {
                throw new SQLException("the connection is closed", "08003");
            }
        } catch (SQLException e) {
            throw new IOException(e);
        } catch (IOException | RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException(e);
        }
    }

    private static void write(StubSession session, StringBuilder heldBack) throws IOException {
        try {
            if (heldBack.length() > 0) {
                session.write(heldBack.toString());
                heldBack.setLength(0);
            }
        } catch (SQLException e) {
            throw new IOException(e);
        }
    }

    private static final class In extends InputStream implements StubPhysical {
        private final StubSession session;
        private int left = 3;

        In(StubSession session) {
            this.session = session;
        }

        @Override
        public StubSession session() {
            return session;
        }

        @Override
        public int read() throws IOException {
            enter(session, "InputStream.read");
            session.touch();
            return left-- > 0 ? 'x' : -1;
        }

        @Override
        public int read(byte[] bytes, int offset, int length) throws IOException {
            int value = read();
            if (value < 0) {
                return -1;
            }
            bytes[offset] = (byte) value;
            return 1;
        }

        @Override
        public long skip(long count) throws IOException {
            enter(session, "InputStream.skip");
            return 0;
        }

        @Override
        public int available() throws IOException {
            enter(session, "InputStream.available");
            return 0;
        }

        @Override
        public void close() throws IOException {
            enter(session, "InputStream.close");
        }
    }

    private static final class Characters extends Reader implements StubPhysical {
        private final StubSession session;
        private int left = 3;

        Characters(StubSession session) {
            this.session = session;
        }

        @Override
        public StubSession session() {
            return session;
        }

        @Override
        public int read(char[] characters, int offset, int length) throws IOException {
            enter(session, "Reader.read");
            session.touch();
            if (left-- <= 0) {
                return -1;
            }
            characters[offset] = 'x';
            return 1;
        }

        @Override
        public void close() throws IOException {
            enter(session, "Reader.close");
        }
    }

    private static final class Out extends OutputStream implements StubPhysical {
        private final StubSession session;
        private final StringBuilder heldBack = new StringBuilder();

        Out(StubSession session) {
            this.session = session;
        }

        @Override
        public StubSession session() {
            return session;
        }

        @Override
        public void write(int value) throws IOException {
            enter(session, "OutputStream.write");
            heldBack.append((char) value);
        }

        @Override
        public void flush() throws IOException {
            enter(session, "OutputStream.flush");
            StubStreams.write(session, heldBack);
        }

        @Override
        public void close() throws IOException {
            enter(session, "OutputStream.close");
            StubStreams.write(session, heldBack);
        }
    }

    private static final class Text extends Writer implements StubPhysical {
        private final StubSession session;
        private final StringBuilder heldBack = new StringBuilder();

        Text(StubSession session) {
            this.session = session;
        }

        @Override
        public StubSession session() {
            return session;
        }

        @Override
        public void write(char[] characters, int offset, int length) throws IOException {
            enter(session, "Writer.write");
            heldBack.append(characters, offset, length);
        }

        @Override
        public void flush() throws IOException {
            enter(session, "Writer.flush");
            StubStreams.write(session, heldBack);
        }

        @Override
        public void close() throws IOException {
            enter(session, "Writer.close");
            StubStreams.write(session, heldBack);
        }
    }
}

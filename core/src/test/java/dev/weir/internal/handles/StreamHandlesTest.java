package dev.weir.internal.handles;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.PoolConfig;
import dev.weir.RetireReason;
import dev.weir.WeirDataSource;
import dev.weir.testkit.StubDatabase;
import dev.weir.testkit.StubSession;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.Reader;
import java.io.Writer;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Struct;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;
import javax.xml.transform.sax.SAXResult;
import javax.xml.transform.stax.StAXSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.xml.sax.ContentHandler;
import org.xml.sax.SAXException;

/** P3 for what is read and written bit by bit: it dies with the loan, and what the driver throws is treated as anywhere. */
final class StreamHandlesTest {
    private final StubDatabase db = new StubDatabase();
    private final WeirDataSource pool = new WeirDataSource(PoolConfig.builder()
            .url(db.url())
            .maximumPoolSize(1)
            .minimumPoolSize(0)
            .registerMbeans(false)
            .build());

    @AfterEach
    void end() {
        pool.close();
        db.close();
    }

    /** The way to come by a stream, and its class. */
    private record Way(Class<? extends Closeable> type, Taking taking) {
        Closeable from(Connection connection) throws SQLException {
            return taking.from(connection);
        }

        @Override
        public String toString() {
            return type.getSimpleName();
        }
    }

    @FunctionalInterface
    private interface Taking {
        Closeable from(Connection connection) throws SQLException;
    }

    static Stream<Way> ways() {
        return Stream.of(
                new Way(InputStream.class, c -> c.createBlob().getBinaryStream()),
                new Way(OutputStream.class, c -> c.createBlob().setBinaryStream(1)),
                new Way(Reader.class, c -> c.createClob().getCharacterStream()),
                new Way(Writer.class, c -> c.createClob().setCharacterStream(1)));
    }

    /**
     * The methods that a handle must have of its own, as the driver's stream is called through it: all but final ones.
     */
    private static List<Method> calls(Class<?> type) {
        List<Method> calls = new ArrayList<>();
        for (Method method : type.getMethods()) {
            if (method.getDeclaringClass() != Object.class && !Modifier.isStatic(method.getModifiers())) {
                calls.add(method);
            }
        }
        return calls;
    }

    private static void call(Method method, Object stream) throws Throwable {
        Object[] arguments = Arrays.stream(method.getParameterTypes())
                .map(StreamHandlesTest::argument)
                .toArray();
        try {
            method.invoke(stream, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    private static Object argument(Class<?> type) {
        if (type == int.class) {
            return 1;
        } else if (type == long.class) {
            return 1L;
        } else if (type == char.class) {
            return 'x';
        } else if (type == byte[].class) {
            return new byte[2];
        } else if (type == char[].class) {
            return new char[2];
        } else if (type == OutputStream.class) {
            return OutputStream.nullOutputStream();
        } else if (type == Writer.class) {
            return Writer.nullWriter();
        } else {
            return type == java.nio.CharBuffer.class ? java.nio.CharBuffer.allocate(2) : "text";
        }
    }

    @ParameterizedTest
    @MethodSource("ways")
    void noCallReachesTheDriverOnceTheConnectionIsClosed(Way way) throws Throwable {
        Connection user = pool.getConnection();
        Closeable stream = way.from(user);
        user.close();
        int before = db.sessions().get(0).journal().size();
        for (Method method : calls(way.type())) {
            boolean ends = Set.of("close", "flush").contains(method.getName());
            boolean throwsNothing = method.getExceptionTypes().length == 0;
            if (ends || throwsNothing) {
                call(method, stream);
            } else {
                assertThatThrownBy(() -> call(method, stream))
                        .as("%s", method)
                        .isInstanceOf(IOException.class)
                        .hasMessageContaining("connection is closed")
                        .hasCauseInstanceOf(SQLException.class);
            }
        }
        assertThat(db.sessions().get(0).journal()).hasSize(before);
    }

    @ParameterizedTest
    @MethodSource("ways")
    void anErrorOfTheDriverCostsTheConnection(Way way) throws Throwable {
        Set<String> ofTheStub = Set.of("read", "skip", "available", "write", "flush", "close");
        long faults = 0;
        for (Method method : way.type().getDeclaredMethods()) {
            String call = way + "." + method.getName();
            boolean inherits = way.type() == Reader.class && method.getName().equals("skip");
            if (inherits || !ofTheStub.contains(method.getName())) {
                continue;
            }
            Error failure = new NoClassDefFoundError(call);
            Connection user = pool.getConnection();
            Closeable stream = way.from(user);
            StubSession session = db.sessions().get(db.sessions().size() - 1);
            try (AutoCloseable fault = db.fail(call, () -> failure)) {
                assertThatThrownBy(() -> call(method, stream)).isSameAs(failure);
            }
            user.close();
            assertThat(pool.stats().retired().get(RetireReason.FAULT)).as(call).isEqualTo(++faults);
            assertThat(session.journal()).as(call).doesNotContain("Connection.rollback[]");
        }
        assertThat(faults).isGreaterThan(3);
    }

    @ParameterizedTest
    @MethodSource("ways")
    void aFailureOfTheDriverIsSeenByThePool(Way way) throws Throwable {
        Connection user = pool.getConnection();
        Closeable stream = way.from(user);
        db.fail(way + ".close", () -> new SQLException("gone", "08006"));
        assertThatThrownBy(stream::close).isInstanceOf(IOException.class).hasRootCauseMessage("gone");
        user.close();
        assertThat(pool.stats().retired().get(RetireReason.FAULT)).isOne();
    }

    /** A large object is read at the server, in a transaction that begins with it. */
    @Test
    void whatAStreamDoesAfterTheCommitIsRolledBack() throws Exception {
        Connection user = pool.getConnection();
        user.setAutoCommit(false);
        InputStream stream = user.createBlob().getBinaryStream();
        user.commit();
        assertThat(stream.read()).isEqualTo('x');
        StubSession session = db.sessions().get(0);
        assertThat(session.transaction()).isEqualTo(StubSession.Transaction.OPEN);
        user.close();
        assertThat(session.isOpen()).isTrue();
        assertThat(session.journal()).contains("Connection.rollback[]");
    }

    @Test
    void whatFreeingALargeObjectMayWriteIsRolledBack() throws Exception {
        Connection user = pool.getConnection();
        user.setAutoCommit(false);
        Object forgotten = user.createBlob();
        user.commit();
        user.close();
        assertThat(db.sessions().get(0).journal())
                .as("%s", forgotten)
                .containsSubsequence("Connection.commit[]", "Blob.free[]", "Connection.rollback[]");
    }

    @Test
    void readersAndHandlersOfXmlDieWithTheLoanToo() throws Exception {
        Connection user = pool.getConnection();
        XMLStreamReader reader = user.createSQLXML().getSource(StAXSource.class).getXMLStreamReader();
        ContentHandler handler = user.createSQLXML().setResult(SAXResult.class).getHandler();
        assertThat(reader.hasNext()).isTrue();
        handler.startDocument();
        user.close();
        assertThatThrownBy(reader::hasNext)
                .isInstanceOf(XMLStreamException.class)
                .hasRootCauseInstanceOf(SQLException.class);
        assertThatThrownBy(reader::getLocalName).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(handler::startDocument).isInstanceOf(SAXException.class);
    }

    @Test
    void structuresAndArraysOfThemAreHandlesAndAreTakenBack() throws Exception {
        Connection user = pool.getConnection();
        Struct struct = user.createStruct("pair", new Object[] {1, 2});
        assertThat(struct).isInstanceOf(StructHandle.class);
        ConnectionHandle connection = (ConnectionHandle) user;
        Struct[][] nested = {{((StructHandle) struct).physical()}};
        Object wrapped = Wrapping.wrapValue(connection, nested);
        assertThat(wrapped).isInstanceOf(Struct[][].class);
        assertThat(((Struct[][]) wrapped)[0][0]).isInstanceOf(StructHandle.class);
        assertThat(Wrapping.physical(wrapped)).isEqualTo(nested);
        assertThat(Wrapping.physical((Object) new Object[] {"a", new Object[] {struct}}))
                .isEqualTo(new Object[] {"a", nested[0]});
        user.close(); // else the end of the pool waits for him
    }
}

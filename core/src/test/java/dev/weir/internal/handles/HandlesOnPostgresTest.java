package dev.weir.internal.handles;

import static dev.weir.PostgresShared.execute;
import static dev.weir.PostgresShared.number;
import static dev.weir.PostgresShared.server;
import static dev.weir.PostgresShared.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.PostgresShared;
import dev.weir.WeirDataSource;
import dev.weir.internal.sessions.Session;
import dev.weir.testkit.servers.ThreadsLeft;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.sql.Array;
import java.sql.Blob;
import java.sql.CallableStatement;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLXML;
import java.sql.Statement;
import java.sql.Types;
import java.sql.Wrapper;
import java.util.List;
import javax.xml.transform.Result;
import javax.xml.transform.Source;
import javax.xml.transform.Transformer;
import javax.xml.transform.TransformerFactory;
import javax.xml.transform.dom.DOMResult;
import javax.xml.transform.dom.DOMSource;
import javax.xml.transform.sax.SAXResult;
import javax.xml.transform.sax.SAXSource;
import javax.xml.transform.stax.StAXResult;
import javax.xml.transform.stax.StAXSource;
import javax.xml.transform.stream.StreamResult;
import javax.xml.transform.stream.StreamSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.postgresql.geometric.PGpoint;
import org.postgresql.jdbc.PgArray;
import org.postgresql.jdbc.PgBlob;

/** P3 on a real server, for values and what is read and written bit by bit, and what a user sees of the driver meanwhile. */
final class HandlesOnPostgresTest {
    private final ThreadsLeft threads = ThreadsLeft.sinceNow();
    private WeirDataSource pool;
    private long largeObject;

    @BeforeEach
    void create() throws SQLException {
        server().execute("CREATE TABLE mine (n int)");
        server().execute("GRANT ALL ON mine TO weir");
        pool = PostgresShared.filled(1, PostgresShared.pool().autoCommit(false));
        try (Connection connection = pool.getConnection()) {
            largeObject = number(connection, "SELECT lo_from_bytea(0, 'before')");
            connection.commit();
        }
    }

    @AfterEach
    void nothingIsLeft() {
        pool.close();
        PostgresShared.assertNothingLeft(threads);
        server().execute("DROP TABLE mine");
    }

    private Blob blob(Connection connection) throws SQLException {
        ResultSet rows = connection.createStatement().executeQuery("SELECT " + largeObject + "::oid");
        rows.next();
        return rows.getBlob(1);
    }

    @Test
    void whatAStreamHoldsBackIsNotWrittenIntoTheNextUsersTransaction() throws Exception {
        Connection user = pool.getConnection();
        Blob blob = blob(user);
        OutputStream late = blob.setBinaryStream(1);
        late.write("stranger".getBytes(java.nio.charset.StandardCharsets.UTF_8));
        user.close();
        try (Connection next = pool.getConnection()) {
            OutputStream own = blob(next).setBinaryStream(1); // under the number that the late one has at the server
            execute(next, "INSERT INTO mine VALUES (1)");
            assertThatThrownBy(() -> late.write(1))
                    .isInstanceOf(IOException.class)
                    .hasCauseInstanceOf(SQLException.class);
            late.flush();
            late.close();
            assertThatThrownBy(blob::length).isInstanceOf(SQLException.class);
            own.write("own".getBytes(java.nio.charset.StandardCharsets.UTF_8));
            own.close();
            next.commit();
            assertThat(text(next, "SELECT convert_from(lo_get(" + largeObject + "), 'UTF8')"))
                    .isEqualTo("ownore");
            assertThat(number(next, "SELECT count(*) FROM mine")).isOne();
        }
    }

    @Test
    void aStreamClosedLateDoesNotAbortTheNextUsersTransaction() throws Exception {
        Connection user = pool.getConnection();
        InputStream late = blob(user).getBinaryStream();
        assertThat(late.read()).isEqualTo('b');
        user.close();
        try (Connection next = pool.getConnection()) {
            execute(next, "INSERT INTO mine VALUES (1)");
            assertThatThrownBy(late::read).isInstanceOf(IOException.class);
            late.close();
            next.commit();
            assertThat(number(next, "SELECT count(*) FROM mine")).isOne();
        }
    }

    @Test
    void theTextOfAValueIsTheDriversAndThatOfAStatementNamesThePoolToo() throws Exception {
        Connection user = pool.getConnection();
        PreparedStatement statement = user.prepareStatement("SELECT ARRAY[1,2,?]");
        statement.setInt(1, 3);
        ResultSet rows = statement.executeQuery();
        rows.next();
        Array array = rows.getArray(1);
        String name = " of connection #1 of pool " + pool.getPoolName();
        assertThat(array).hasToString("{1,2,3}");
        assertThat(statement.toString())
                .startsWith("SELECT ARRAY[1,2,")
                .endsWith(" [PreparedStatementHandle" + name + "]");
        assertThat(user.toString()).contains("PgConnection", "connection #1 of pool " + pool.getPoolName());
        user.close();
        assertThat(array).hasToString("ArrayHandle" + name);
        assertThat(statement).hasToString("PreparedStatementHandle" + name);
    }

    @Test
    void theDriversOwnArrayAndLargeObjectCanBeReachedWhileTheLoanLasts() throws Exception {
        Connection user = pool.getConnection();
        Blob blob = blob(user);
        Array array = user.createArrayOf("int4", new Object[] {1, 2, 3});
        ResultSet rows = user.createStatement().executeQuery("SELECT '(1,2)'::point");
        rows.next();
        assertThat(rows.getObject(1, PGpoint.class)).hasToString("(1.0,2.0)");
        assertThat(((Wrapper) array).isWrapperFor(PgArray.class)).isTrue();
        assertThat(((Wrapper) array).unwrap(PgArray.class)).hasToString("{\"1\",\"2\",\"3\"}");
        assertThat(((Wrapper) blob).unwrap(PgBlob.class).length()).isEqualTo(6);
        assertThat(((Wrapper) array).unwrap(Array.class)).isSameAs(array);
        assertThat(LoanInsides.changed((ConnectionHandle) user) & Session.UNWRAPPED)
                .isNotZero();
        user.close();
        assertThatThrownBy(() -> ((Wrapper) array).unwrap(PgArray.class)).isInstanceOf(SQLException.class);
    }

    @Test
    void documentsAreReadAndWrittenInEveryWayThereIs() throws Exception {
        String document = "<a><b>text</b></a>";
        Transformer transformer = TransformerFactory.newInstance().newTransformer();
        List<Class<? extends Source>> sources =
                List.of(StreamSource.class, SAXSource.class, StAXSource.class, DOMSource.class);
        List<Class<? extends Result>> results =
                List.of(StreamResult.class, SAXResult.class, StAXResult.class, DOMResult.class);
        try (Connection user = pool.getConnection();
                Statement statement = user.createStatement();
                ResultSet rows = statement.executeQuery("SELECT '" + document + "'::xml")) {
            rows.next();
            for (int i = 0; i < sources.size(); i++) {
                SQLXML target = user.createSQLXML();
                Source source = rows.getSQLXML(1).getSource(sources.get(i));
                transformer.transform(source, target.setResult(results.get(i)));
                assertThat(target.getString()).as("%s", results.get(i)).contains(document);
            }
        }
    }

    @Test
    void valuesStayBehindHandles() throws SQLException {
        try (Connection connection = pool.getConnection()) {
            try (PreparedStatement statement = connection.prepareStatement("select ? as a, '{1,2}'::int[] as b")) {
                statement.setArray(1, connection.createArrayOf("text", new Object[] {"x", "y"}));
                ResultSet rows = statement.executeQuery();
                rows.next();
                Array array = (Array) rows.getObject(1);
                assertThat(array).isInstanceOf(ArrayHandle.class);
                assertThat((Object[]) array.getArray()).containsExactly("x", "y");
                ResultSet elements = rows.getArray("b").getResultSet();
                elements.next();
                assertThat(elements.getStatement().getConnection()).isSameAs(connection);
                assertThat(rows.getStatement()).isSameAs(statement);
            }
            execute(
                    connection,
                    "create function pg_temp.f() returns refcursor language plpgsql as "
                            + "$$ declare c refcursor := 'c'; begin open c for select 7; return c; end $$");
            try (CallableStatement call = connection.prepareCall("{? = call pg_temp.f()}")) {
                call.registerOutParameter(1, Types.REF_CURSOR);
                call.execute();
                ResultSet cursor = (ResultSet) call.getObject(1);
                assertThat(cursor).isInstanceOf(ResultSetHandle.class);
                cursor.next();
                assertThat(cursor.getInt(1)).isEqualTo(7);
            }
        }
    }

    @Test
    void closeOnCompletionClosesTheStatementWithItsLastResultSet() throws SQLException {
        try (Connection connection = pool.getConnection()) {
            Statement statement = connection.createStatement();
            statement.closeOnCompletion();
            assertThat(statement.isCloseOnCompletion()).isTrue();
            statement.executeQuery("select 1").close();
            assertThat(statement.isClosed()).isTrue();
        }
    }
}

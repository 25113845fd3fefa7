package dev.weir.internal.handles;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.RecordingDriver;
import dev.weir.internal.engine.Loan;
import java.lang.invoke.MethodHandle;
import java.sql.Array;
import java.sql.Blob;
import java.sql.Clob;
import java.sql.Connection;
import java.sql.NClob;
import java.sql.SQLXML;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** What JDBC 4.5 added goes to the driver's method where this JDK has it, else to what JDBC 4.5 has it do by default. */
final class Jdbc45Test {
    private final RecordingDriver driver = new RecordingDriver();
    private final ConnectionHandle connection = lend();

    private ConnectionHandle lend() {
        try {
            return new Loan().lend(driver.connection());
        } catch (java.sql.SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private static boolean has(Class<?> owner, String name) {
        return Arrays.stream(owner.getMethods())
                .anyMatch(method -> method.getName().equals(name));
    }

    @Test
    void aMethodIsFoundWhereTheJdkHasIt() throws Throwable {
        MethodHandle found = Jdbc45.find(Connection.class, "nativeSQL", String.class, String.class);
        assertThat((String) Objects.requireNonNull(found).invokeExact((Connection) connection, "x"))
                .isEqualTo("text");
        assertThat(Jdbc45.find(Connection.class, "notYet", String.class)).isNull();
    }

    @Test
    void closeGoesToTheDriverOnce() throws Exception {
        for (Class<?> type : List.of(Array.class, Blob.class, Clob.class, NClob.class, SQLXML.class)) {
            Object handle = Objects.requireNonNull(Wrapping.wrapValue(connection, driver.physical(type)));
            driver.calls.clear();
            handle.getClass().getMethod("close").invoke(handle);
            assertThat(driver.names()).as("%s", type).containsExactly(has(type, "close") ? "close" : "free");
        }
    }

    @Test
    void closeDoesNothingAfterTheLoan() throws Exception {
        BlobHandle handle = (BlobHandle) Wrapping.wrapValue(connection, driver.physical(Blob.class));
        connection.close();
        driver.calls.clear();
        Objects.requireNonNull(handle).close();
        assertThat(driver.names()).isEmpty();
    }

    @Test
    void quotingGoesToTheDriver() throws Exception {
        boolean own = has(Connection.class, "enquoteLiteral");
        driver.calls.clear();
        assertThat(connection.enquoteLiteral("x")).isEqualTo("text");
        assertThat(connection.enquoteNCharLiteral("x")).isEqualTo("text");
        assertThat(connection.enquoteIdentifier("x", true)).isEqualTo("text");
        assertThat(connection.isSimpleIdentifier("x")).isTrue();
        List<String> asked =
                List.of("enquoteLiteral", "enquoteNCharLiteral", "enquoteIdentifier", "isSimpleIdentifier");
        if (own) {
            assertThat(driver.names()).containsExactlyElementsOf(asked);
        } else {
            assertThat(driver.names())
                    .containsAll(asked)
                    .filteredOn("close"::equals)
                    .hasSize(asked.size());
        }
    }
}

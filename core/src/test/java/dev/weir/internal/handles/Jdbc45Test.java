package dev.weir.internal.handles;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.weir.RecordingDriver;
import dev.weir.internal.engine.Loan;
import java.lang.invoke.MethodHandle;
import java.sql.Array;
import java.sql.Blob;
import java.sql.Clob;
import java.sql.Connection;
import java.sql.NClob;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.SQLXML;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** The methods that JDBC 4.5 added go to the driver's where this JDK has them. */
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
        MethodHandle found = Jdbc45.find("nativeSQL", String.class, String.class);
        assertThat((String) Objects.requireNonNull(found).invokeExact((Connection) connection, "x"))
                .isEqualTo("text");
        assertThat(Jdbc45.find("notYet", String.class)).isNull();
    }

    @Test
    void closeOfAValueFrees() throws Exception {
        assumeTrue(has(Blob.class, "close"));
        for (Class<?> type : List.of(Array.class, Blob.class, Clob.class, NClob.class, SQLXML.class)) {
            Object handle = Objects.requireNonNull(Wrapping.wrapValue(connection, driver.physical(type)));
            driver.calls.clear();
            handle.getClass().getMethod("close").invoke(handle);
            assertThat(driver.names()).as("%s", type).containsExactly("free");
        }
    }

    @Test
    void quotingGoesToTheDriver() throws Exception {
        assumeTrue(has(Connection.class, "enquoteLiteral"));
        driver.calls.clear();
        assertThat(connection.enquoteLiteral("x")).isEqualTo("text");
        assertThat(connection.enquoteNCharLiteral("x")).isEqualTo("text");
        assertThat(connection.enquoteIdentifier("x", true)).isEqualTo("text");
        assertThat(connection.isSimpleIdentifier("x")).isTrue();
        assertThat(driver.names())
                .containsExactly("enquoteLiteral", "enquoteNCharLiteral", "enquoteIdentifier", "isSimpleIdentifier");
    }

    @Test
    void aMethodThatTheJdkHasNotIsNotSupported() {
        assumeFalse(has(Connection.class, "enquoteLiteral"));
        assertThatThrownBy(() -> connection.enquoteLiteral("x"))
                .isInstanceOf(SQLFeatureNotSupportedException.class)
                .hasMessageContaining("JDBC 4.5");
    }
}

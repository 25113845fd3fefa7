package dev.weir.internal.handles;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.JdbcSamples;
import dev.weir.RecordingDriver;
import dev.weir.internal.engine.Loan;
import dev.weir.internal.sessions.Session;
import dev.weir.internal.slots.Slot;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.sql.Array;
import java.sql.Blob;
import java.sql.CallableStatement;
import java.sql.Clob;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.NClob;
import java.sql.ParameterMetaData;
import java.sql.PreparedStatement;
import java.sql.Ref;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.SQLXML;
import java.sql.Statement;
import java.sql.Struct;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every method of every JDBC interface, by reflection: a method that a later JDK adds fails here until it is looked at. */
class HandleMethodsTest {

    /** Answered by the handle itself. */
    private static final Set<String> NOT_DELEGATED = Set.of(
            "Connection.close",
            "Connection.isClosed",
            "Connection.abort",
            "Connection.unwrap",
            "Statement.unwrap",
            "Statement.getConnection",
            "PreparedStatement.unwrap",
            "PreparedStatement.getConnection",
            "CallableStatement.unwrap",
            "CallableStatement.getConnection",
            "ResultSet.unwrap",
            "DatabaseMetaData.unwrap",
            "DatabaseMetaData.getConnection",
            "ResultSetMetaData.unwrap",
            "ParameterMetaData.unwrap");

    /** The methods that JDBC allows on a closed object. */
    private static final Set<String> ALLOWED_WHEN_CLOSED = Set.of("close", "abort", "isClosed", "isValid");

    private final RecordingDriver driver = new RecordingDriver();
    private final Loan loan = new Loan();

    static Stream<Class<?>> interfaces() {
        return JdbcSamples.INTERFACES.stream();
    }

    private record Subject(ConnectionHandle connection, Object handle, Object physical) {}

    private Subject subject(Class<?> type) throws SQLException {
        Connection physical = driver.connection();
        ConnectionHandle connection = loan.lend(physical);
        Subject subject = type == Connection.class
                ? new Subject(connection, connection, physical)
                : handle(connection, type, driver.physical(type));
        driver.calls.clear();
        return subject;
    }

    private static Subject handle(ConnectionHandle c, Class<?> type, Object physical) throws SQLException {
        Object handle;
        if (type == CallableStatement.class) {
            handle = c.tracked(new CallableStatementHandle(c, (CallableStatement) physical));
        } else if (type == PreparedStatement.class) {
            handle = c.tracked(new PreparedStatementHandle(c, (PreparedStatement) physical));
        } else if (type == Statement.class) {
            handle = c.tracked(new StatementHandle(c, (Statement) physical));
        } else if (type == ResultSet.class) {
            handle = Wrapping.orphan(c, (ResultSet) physical);
        } else if (type == DatabaseMetaData.class) {
            handle = Wrapping.wrap(c, (DatabaseMetaData) physical);
        } else if (type == ResultSetMetaData.class) {
            handle = Wrapping.wrap(c, (ResultSetMetaData) physical);
        } else if (type == ParameterMetaData.class) {
            handle = Wrapping.wrap(c, (ParameterMetaData) physical);
        } else {
            handle = Wrapping.wrapValue(c, physical);
        }
        assertThat(handle).isNotNull();
        return new Subject(c, handle, physical);
    }

    private static List<Method> methods(Class<?> type) {
        List<Method> methods = new ArrayList<>();
        for (Method method : type.getMethods()) {
            if (!Modifier.isStatic(method.getModifiers())) {
                methods.add(method);
            }
        }
        methods.sort(Comparator.comparing(Method::toGenericString));
        return methods;
    }

    private static @Nullable Object call(Object target, Method method, @Nullable Object... arguments) throws Throwable {
        try {
            return method.invoke(target, arguments);
        } catch (InvocationTargetException e) {
            throw e.getTargetException();
        }
    }

    private static @Nullable Throwable thrownBy(Object target, Method method) {
        try {
            call(target, method, JdbcSamples.arguments(method.getParameterTypes()));
            return null;
        } catch (Throwable e) {
            return e;
        }
    }

    private static String name(Class<?> type, Method method) {
        return type.getSimpleName() + "." + method.getName();
    }

    @ParameterizedTest
    @MethodSource("interfaces")
    void delegatesOnceWithTheSameArguments(Class<?> type) throws Throwable {
        for (Method method : methods(type)) {
            Subject subject = subject(type);
            Object[] arguments = JdbcSamples.arguments(method.getParameterTypes());
            if (method.getName().equals("isWrapperFor") || method.getName().equals("unwrap")) {
                arguments[0] = Runnable.class;
            }
            call(subject.handle(), method, arguments);
            boolean always = Set.of("unwrap", "abort").contains(method.getName());
            long expected = always || !NOT_DELEGATED.contains(name(type, method)) ? 1 : 0;
            assertThat(driver.callsTo(subject.physical(), method, arguments))
                    .as("%s", method)
                    .isEqualTo(expected);
            if (expected == 1) {
                RecordingDriver.Call delegated = driver.calls().stream()
                        .filter(call -> call.isOf(method))
                        .findFirst()
                        .orElseThrow();
                assertThat(delegated.arguments()).as("%s", method).hasSize(arguments.length);
                for (int i = 0; i < arguments.length; i++) {
                    Object passed = delegated.arguments().get(i);
                    assertThat(passed).as("%s", method).isEqualTo(arguments[i]);
                }
            }
        }
    }

    @ParameterizedTest
    @MethodSource("interfaces")
    void everyMethodOverridesItsDefault(Class<?> type) throws Exception {
        Object handle = subject(type).handle();
        for (Method method : methods(type)) {
            Method implementation = handle.getClass().getMethod(method.getName(), method.getParameterTypes());
            assertThat(implementation.getDeclaringClass().isInterface())
                    .as("%s", method)
                    .isFalse();
        }
    }

    @ParameterizedTest
    @MethodSource("interfaces")
    void throwsOnceTheConnectionIsClosed(Class<?> type) throws Throwable {
        for (Method method : methods(type)) {
            Subject subject = subject(type);
            subject.connection().markWork();
            subject.connection().close();
            driver.calls.clear();
            Throwable thrown = thrownBy(subject.handle(), method);
            boolean allowed = ALLOWED_WHEN_CLOSED.contains(method.getName()) || method.getExceptionTypes().length == 0;
            if (allowed) {
                assertThat(thrown).as("%s", method).isNull();
            } else {
                assertThat(thrown).as("%s", method).isInstanceOf(SQLException.class);
                assertThat(((SQLException) thrown).getSQLState())
                        .as("%s", method)
                        .isEqualTo("08003");
                assertThat(thrown).hasMessageContaining("pool");
            }
            if (method.getExceptionTypes().length > 0) {
                assertThat(driver.names()).as("%s", method).isEmpty();
            }
        }
    }

    @ParameterizedTest
    @MethodSource("interfaces")
    void statementsAndResultSetsThrowOnceTheyAreClosed(Class<?> type) throws Throwable {
        if (!AutoCloseable.class.isAssignableFrom(type) || type == Connection.class) {
            return;
        }
        for (Method method : methods(type)) {
            Subject subject = subject(type);
            ((AutoCloseable) subject.handle()).close();
            Throwable thrown = thrownBy(subject.handle(), method);
            if (ALLOWED_WHEN_CLOSED.contains(method.getName())) {
                assertThat(thrown).as("%s", method).isNull();
            } else {
                assertThat(thrown).as("%s", method).isInstanceOf(SQLException.class);
            }
            assertThat(driver.names()).as("%s", method).containsExactly("close");
        }
    }

    @ParameterizedTest
    @MethodSource("interfaces")
    void nothingThatComesBackIsTheDrivers(Class<?> type) throws Throwable {
        for (Method method : methods(type)) {
            Subject subject = subject(type);
            if (!JdbcSamples.isJdbc(method.getReturnType())) {
                continue;
            }
            Object result = call(subject.handle(), method, JdbcSamples.arguments(method.getParameterTypes()));
            if (method.getReturnType() == Connection.class) {
                assertThat(result).as("%s", method).isSameAs(subject.connection());
            } else {
                assertThat(result).as("%s", method).isInstanceOf(AbstractHandle.class);
            }
        }
    }

    @ParameterizedTest
    @MethodSource("interfaces")
    void valuesOfAnyTypeAreWrapped(Class<?> type) throws Throwable {
        List<Class<?>> wrapped = List.of(
                Array.class,
                Blob.class,
                Clob.class,
                NClob.class,
                SQLXML.class,
                Ref.class,
                Struct.class,
                ResultSet.class);
        for (Method method : methods(type)) {
            if (method.getReturnType() != Object.class || method.getName().equals("unwrap")) {
                continue;
            }
            for (Class<?> value : wrapped) {
                Subject subject = subject(type);
                Object physical = driver.physical(value);
                driver.value = physical;
                Object[] arguments = JdbcSamples.arguments(method.getParameterTypes());
                for (int i = 0; i < arguments.length; i++) {
                    arguments[i] = arguments[i] == String.class ? value : arguments[i];
                }
                Object result = call(subject.handle(), method, arguments);
                assertThat(result).as("%s", method).isInstanceOf(AbstractHandle.class);
                assertThat(((AbstractHandle) result).physical()).isSameAs(physical);
                driver.value = new Object[] {1, physical};
                if (method.getParameterCount() < 2 || method.getParameterTypes()[1] != Class.class) {
                    Object[] elements = (Object[]) call(subject.handle(), method, arguments);
                    assertThat(elements[1]).as("%s", method).isInstanceOf(AbstractHandle.class);
                }
            }
        }
    }

    @ParameterizedTest
    @MethodSource("interfaces")
    void ourHandlesAreUnwrappedForTheDriver(Class<?> type) throws Throwable {
        Set<Class<?>> unwrapped =
                Set.of(Array.class, Blob.class, Clob.class, NClob.class, SQLXML.class, Ref.class, Object.class);
        for (Method method : methods(type)) {
            Class<?>[] types = method.getParameterTypes();
            for (int i = 0; i < types.length; i++) {
                if (!unwrapped.contains(types[i])) {
                    continue;
                }
                Subject subject = subject(type);
                Class<?> given = types[i] == Object.class ? Blob.class : types[i];
                Object physical = driver.physical(given);
                Object[] arguments = JdbcSamples.arguments(types);
                arguments[i] = Wrapping.wrapValue(subject.connection(), physical);
                call(subject.handle(), method, arguments);
                assertThat(driver.lastCall().arguments().get(i))
                        .as("%s", method)
                        .isSameAs(physical);
            }
        }
    }

    @ParameterizedTest
    @MethodSource("interfaces")
    void failuresOfTheDriverAreThrownAsTheyAre(Class<?> type) throws Throwable {
        for (Method method : methods(type)) {
            if (NOT_DELEGATED.contains(name(type, method)) || method.getExceptionTypes().length == 0) {
                continue;
            }
            Subject subject = subject(type);
            boolean clientInfo = method.getName().equals("setClientInfo");
            driver.failure = clientInfo ? new java.sql.SQLClientInfoException() : new SQLException("broken", "42000");
            assertThat(thrownBy(subject.handle(), method)).as("%s", method).isSameAs(driver.failure);
            assertThat(loan.failures).as("%s", method).last().isSameAs(driver.failure);
            assertThat(loan.failures.stream().filter(seen -> seen == driver.failure))
                    .as("the pool is told once: %s", method)
                    .hasSize(1);
            driver.failure = null;
        }
    }

    static Stream<Throwable> cuttingACallOff() {
        return Stream.of(
                new IllegalStateException("bug"),
                new OutOfMemoryError("none left"),
                new StackOverflowError("too deep"),
                new NoClassDefFoundError("missing"));
    }

    /** Nobody knows what such a call has sent and what is still to be read, so not even a rollback is asked for. */
    @ParameterizedTest
    @MethodSource("cuttingACallOff")
    void whatIsNoSqlExceptionCostsTheConnectionAndIsThrownAsItIs(Throwable failure) throws Throwable {
        for (Class<?> type : JdbcSamples.INTERFACES) {
            for (Method method : methods(type)) {
                if (NOT_DELEGATED.contains(name(type, method))) {
                    continue;
                }
                Subject subject = subject(type);
                driver.failure = failure;
                assertThat(thrownBy(subject.handle(), method)).as("%s", method).isSameAs(failure);
                driver.failure = null;
                driver.calls.clear();
                Slot slot = subject.connection().slot;
                assertThat(slot.driverError).as("%s", method).isSameAs(failure);
                subject.connection().close();
                assertThat(slot.state()).as("%s", method).isEqualTo(Slot.RETIRED);
                assertThat(driver.names()).as("%s", method).isSubsetOf("abort", "close");
            }
        }
    }

    static Stream<Throwable> refusingACall() {
        return Stream.of(new UnsupportedOperationException("not here"), new AbstractMethodError("older than JDBC 4"));
    }

    @ParameterizedTest
    @MethodSource("refusingACall")
    void aMethodThatTheDriverHasNotCostsNoConnection(Throwable failure) throws Throwable {
        Subject subject = subject(Connection.class);
        driver.failure = failure;
        Method method = Connection.class.getMethod("createBlob");
        assertThat(thrownBy(subject.handle(), method)).isSameAs(failure);
        driver.failure = null;
        Slot slot = subject.connection().slot;
        subject.connection().close();
        assertThat(slot.state()).isEqualTo(Slot.IDLE);
    }

    @ParameterizedTest
    @MethodSource("interfaces")
    void everythingThatMayDirtyTheTransactionIsMarked(Class<?> type) throws Throwable {
        Set<String> free = Set.of(
                "getAutoCommit",
                "isReadOnly",
                "getHoldability",
                "getNetworkTimeout",
                "getWarnings",
                "clearWarnings",
                "isWrapperFor");
        Set<String> writesOfResultSets = Set.of("insertRow", "updateRow", "deleteRow", "refreshRow");
        for (Method method : methods(type)) {
            Subject subject = subject(type);
            String name = method.getName();
            boolean dirties;
            if (NOT_DELEGATED.contains(name(type, method)) || method.getExceptionTypes().length == 0) {
                continue;
            } else if (type == Connection.class) {
                dirties = !free.contains(name) && !name.equals("commit") && !name.equals("rollback");
            } else if (Statement.class.isAssignableFrom(type)) {
                dirties = name.startsWith("execute");
            } else if (type == ResultSet.class) {
                dirties = writesOfResultSets.contains(name);
            } else {
                dirties = !name.equals("isWrapperFor");
            }
            if (dirties) {
                call(subject.handle(), method, JdbcSamples.arguments(method.getParameterTypes()));
                assertThat(subject.connection().work).as("%s", method).isTrue();
                assertThat(subject.connection().used).as("%s", method).isEqualTo(LoanHandle.USED);
            }
        }
    }

    @ParameterizedTest
    @MethodSource("interfaces")
    void theTextOfAnObjectIsNoWorkAndThatOfAValueIsTheDrivers(Class<?> type) throws Throwable {
        Set<Class<?>> values =
                Set.of(Array.class, Blob.class, Clob.class, NClob.class, SQLXML.class, Ref.class, Struct.class);
        Subject subject = subject(type);
        String text = subject.handle().toString();
        if (values.contains(type)) {
            assertThat(text).isEqualTo(subject.physical().toString());
        } else {
            assertThat(text).startsWith(subject.physical().toString()).contains("connection #");
        }
        assertThat(subject.connection().work).isFalse();
        assertThat(subject.connection().used).isZero();
        assertThat(LoanInsides.changed(subject.connection())).isZero();
        assertThat(driver.names()).isEmpty();
        subject.connection().close();
        assertThat(subject.handle().toString()).contains("connection #");
    }

    @Test
    void settersOfTheConnectionMarkTheirProperty() throws Throwable {
        for (Method method : methods(Connection.class)) {
            int bit = switch (method.getName()) {
                case "setAutoCommit" -> Session.AUTO_COMMIT;
                case "setReadOnly" -> Session.READ_ONLY;
                case "setTransactionIsolation" -> Session.ISOLATION;
                case "setCatalog" -> Session.CATALOG;
                case "setSchema" -> Session.SCHEMA;
                case "setHoldability" -> Session.HOLDABILITY;
                case "setNetworkTimeout" -> Session.NETWORK_TIMEOUT;
                case "setTypeMap" -> Session.TYPE_MAP;
                case "getTypeMap" -> Session.TYPE_MAP | (Session.TYPE_MAP << Session.AGAIN_SHIFT);
                case "setClientInfo" -> Session.CLIENT_INFO;
                case "setShardingKey", "setShardingKeyIfValid" -> Session.SHARDING;
                case "unwrap" -> Session.UNWRAPPED;
                default -> 0;
            };
            Subject subject = subject(Connection.class);
            if (!Set.of("close", "abort").contains(method.getName())) {
                Object[] arguments = JdbcSamples.arguments(method.getParameterTypes());
                if (method.getName().equals("unwrap")) {
                    arguments[0] = Runnable.class;
                }
                call(subject.handle(), method, arguments);
                assertThat(LoanInsides.changed(subject.connection()))
                        .as("%s", method)
                        .isEqualTo(bit);
            }
        }
    }

    @Test
    void textAndIdentityWorkOnAClosedConnection() throws SQLException {
        ConnectionHandle connection = loan.lend(driver.connection());
        connection.markWork();
        connection.close();
        assertThat(connection).hasToString("connection #1 of pool lender").isEqualTo(connection);
        assertThat(connection.hashCode()).isEqualTo(connection.hashCode());
    }
}

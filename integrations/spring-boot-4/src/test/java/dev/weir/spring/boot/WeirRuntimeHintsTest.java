package dev.weir.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.PoolMXBean;
import dev.weir.WeirDataSource;
import java.lang.reflect.Method;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.core.io.support.SpringFactoriesLoader;

/** A native image is told of everything that is found by name. */
class WeirRuntimeHintsTest {
    private static RuntimeHints hints() {
        RuntimeHints hints = new RuntimeHints();
        SpringFactoriesLoader.forResourceLocation("META-INF/spring/aot.factories")
                .load(RuntimeHintsRegistrar.class)
                .stream()
                .filter(WeirRuntimeHints.class::isInstance)
                .forEach(registrar -> registrar.registerHints(hints, WeirRuntimeHintsTest.class.getClassLoader()));
        return hints;
    }

    @Test
    void everySetterOfThePoolMayBeCalledByName() throws Exception {
        RuntimeHints hints = hints();
        for (Method method : WeirDataSource.class.getMethods()) {
            if (method.getName().startsWith("set") && !method.getName().equals("setLogWriter")) {
                assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(method))
                        .as(method.toString())
                        .accepts(hints);
            }
        }
        assertThat(RuntimeHintsPredicates.reflection()
                        .onMethodInvocation(WeirDataSource.class.getMethod("setMaxLifetime", Duration.class)))
                .accepts(hints);
        assertThat(RuntimeHintsPredicates.reflection().onConstructorInvocation(WeirDataSource.class.getConstructor()))
                .accepts(hints);
    }

    @Test
    void driversAndTheirDialectsAreFound() throws Exception {
        RuntimeHints hints = hints();
        assertGetters(hints, "org.postgresql.core.BaseConnection", "getTransactionState");
        assertGetters(hints, "org.mariadb.jdbc.Connection", "getContext");
        assertThat(RuntimeHintsPredicates.reflection()
                        .onMethodInvocation(Class.forName("org.postgresql.core.BaseConnection")
                                .getMethod("getParameterStatus", String.class)))
                .accepts(hints);
        assertGetters(hints, "org.postgresql.util.PSQLException", "getServerErrorMessage");
        assertGetters(hints, "org.postgresql.util.ServerErrorMessage", "getSeverity");
        assertGetters(
                hints,
                "org.mariadb.jdbc.client.Context",
                "getServerStatus",
                "getDatabase",
                "getTransactionIsolationLevel");
        assertGetters(hints, "com.mysql.cj.jdbc.JdbcConnection", "getSession");
        assertGetters(hints, "com.mysql.cj.Session", "getServerSession");
        assertGetters(hints, "com.mysql.cj.protocol.ServerSession", "getStatusFlags", "isAutoCommit");
        assertThat(RuntimeHintsPredicates.reflection()
                        .onConstructorInvocation(
                                Class.forName("org.postgresql.Driver").getConstructor()))
                .accepts(hints);
        assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(PoolMXBean.class.getMethod("getTotal")))
                .accepts(hints);
        for (Class<?> told : PoolMXBean.class.getDeclaredClasses()) {
            for (Method method : told.getMethods()) {
                assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(method))
                        .as(method.toString())
                        .accepts(hints);
            }
        }
    }

    private static void assertGetters(RuntimeHints hints, String type, String... names) throws Exception {
        for (String name : names) {
            assertThat(RuntimeHintsPredicates.reflection()
                            .onMethodInvocation(Class.forName(type).getMethod(name)))
                    .as(type + "." + name)
                    .accepts(hints);
        }
    }
}

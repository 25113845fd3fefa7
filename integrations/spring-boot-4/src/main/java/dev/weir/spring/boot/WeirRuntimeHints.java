package dev.weir.spring.boot;

import dev.weir.ChangeableSettings;
import dev.weir.PoolMXBean;
import dev.weir.WeirDataSource;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.ExecutableMode;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.aot.hint.TypeReference;
import org.springframework.boot.context.properties.bind.BindableRuntimeHintsRegistrar;
import org.springframework.boot.jdbc.DatabaseDriver;

/** What a native image cannot see: the setters that properties are bound to, JMX, and what is looked for in drivers. */
final class WeirRuntimeHints implements RuntimeHintsRegistrar {

    @Override
    public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
        BindableRuntimeHintsRegistrar.forTypes(WeirDataSource.class, FleetSettings.class)
                .registerHints(hints);
        hints.reflection()
                .registerType(
                        WeirDataSource.class,
                        MemberCategory.INVOKE_DECLARED_CONSTRUCTORS,
                        MemberCategory.INVOKE_PUBLIC_METHODS)
                .registerType(PoolMXBean.class, MemberCategory.INVOKE_PUBLIC_METHODS)
                .registerType(PoolMXBean.Holder.class, MemberCategory.INVOKE_PUBLIC_METHODS)
                .registerType(PoolMXBean.Waiter.class, MemberCategory.INVOKE_PUBLIC_METHODS)
                .registerType(PoolMXBean.Failure.class, MemberCategory.INVOKE_PUBLIC_METHODS)
                .registerType(ChangeableSettings.class, MemberCategory.INVOKE_PUBLIC_METHODS);
        hints.reflection()
                .registerTypeIfPresent(classLoader, "dev.weir.fleet.FleetMXBean", MemberCategory.INVOKE_PUBLIC_METHODS);
        registerGetters(hints, classLoader, "org.postgresql.core.BaseConnection", "getTransactionState");
        registerGetters(hints, classLoader, "org.mariadb.jdbc.Connection", "getContext");
        hints.reflection()
                .registerTypeIfPresent(
                        classLoader,
                        "org.postgresql.PGConnection", // which declares it
                        hint -> hint.withMethod(
                                "getParameterStatus", List.of(TypeReference.of(String.class)), ExecutableMode.INVOKE));
        registerGetters(hints, classLoader, "org.postgresql.util.PSQLException", "getServerErrorMessage");
        registerGetters(hints, classLoader, "org.postgresql.util.ServerErrorMessage", "getSeverity");
        registerGetters(
                hints,
                classLoader,
                "org.mariadb.jdbc.client.Context",
                "getServerStatus",
                "getDatabase",
                "getTransactionIsolationLevel");
        registerGetters(hints, classLoader, "com.mysql.cj.jdbc.JdbcConnection");
        registerGetters(hints, classLoader, "com.mysql.cj.MysqlConnection", "getSession");
        registerGetters(hints, classLoader, "com.mysql.cj.Session", "getServerSession");
        registerGetters(hints, classLoader, "com.mysql.cj.protocol.ServerSession", "getStatusFlags", "isAutoCommit");
        for (DatabaseDriver driver : DatabaseDriver.values()) {
            if (driver.getDriverClassName() != null) {
                hints.reflection()
                        .registerTypeIfPresent(
                                classLoader, driver.getDriverClassName(), MemberCategory.INVOKE_DECLARED_CONSTRUCTORS);
            }
        }
    }

    /** What the pool's dialects call in the drivers. */
    private static void registerGetters(
            RuntimeHints hints, @Nullable ClassLoader classLoader, String type, String... names) {
        hints.reflection().registerTypeIfPresent(classLoader, type, hint -> {
            for (String name : names) {
                hint.withMethod(name, List.of(), ExecutableMode.INVOKE);
            }
        });
    }
}

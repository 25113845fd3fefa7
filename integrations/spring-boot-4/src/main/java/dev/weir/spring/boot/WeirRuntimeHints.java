package dev.weir.spring.boot;

import dev.weir.PoolMXBean;
import dev.weir.WeirDataSource;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.ExecutableMode;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.boot.context.properties.bind.BindableRuntimeHintsRegistrar;
import org.springframework.boot.jdbc.DatabaseDriver;

/** What a native image cannot see: the setters that properties are bound to, JMX, and what is looked for in drivers. */
final class WeirRuntimeHints implements RuntimeHintsRegistrar {

    @Override
    public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
        BindableRuntimeHintsRegistrar.forTypes(WeirDataSource.class).registerHints(hints);
        hints.reflection()
                .registerType(
                        WeirDataSource.class,
                        MemberCategory.INVOKE_DECLARED_CONSTRUCTORS,
                        MemberCategory.INVOKE_PUBLIC_METHODS)
                .registerType(PoolMXBean.class, MemberCategory.INVOKE_PUBLIC_METHODS)
                .registerTypeIfPresent(
                        classLoader,
                        "org.postgresql.core.BaseConnection",
                        hint -> hint.withMethod("getTransactionState", List.of(), ExecutableMode.INVOKE));
        for (DatabaseDriver driver : DatabaseDriver.values()) {
            if (driver.getDriverClassName() != null) {
                hints.reflection()
                        .registerTypeIfPresent(
                                classLoader, driver.getDriverClassName(), MemberCategory.INVOKE_DECLARED_CONSTRUCTORS);
            }
        }
    }
}

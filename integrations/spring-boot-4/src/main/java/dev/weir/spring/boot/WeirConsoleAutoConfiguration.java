package dev.weir.spring.boot;

import dev.weir.console.Console;
import dev.weir.console.window.JvmView;
import dev.weir.console.window.PoolReader;
import dev.weir.console.window.Watch;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.BindingReflectionHintsRegistrar;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.EndpointAccessResolver;
import org.springframework.boot.actuate.endpoint.EndpointId;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.web.PathMapper;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.ImportRuntimeHints;
import org.springframework.core.env.Environment;

/** {@code /actuator/weirconsole}, where it is exposed and {@code weir-console} is on the class path. */
@AutoConfiguration
@ConditionalOnClass({Endpoint.class, ConditionalOnAvailableEndpoint.class, Console.class})
@ConditionalOnAvailableEndpoint(WeirConsoleEndpoint.class)
@ImportRuntimeHints(WeirConsoleAutoConfiguration.Hints.class)
public final class WeirConsoleAutoConfiguration {

    @Bean
    WeirConsoleEndpoint weirConsoleEndpoint(
            EndpointAccessResolver access, ObjectProvider<PathMapper> mappers, Environment environment) {
        EndpointId id = EndpointId.of(WeirConsoleEndpoint.ID);
        String path = PathMapper.getRootPath(mappers.orderedStream().toList(), id);
        boolean writable = access.accessFor(id, Access.READ_ONLY) == Access.UNRESTRICTED;
        String name = environment.getProperty("spring.application.name", "application") + ", pid "
                + ProcessHandle.current().pid();
        return new WeirConsoleEndpoint(
                new Console(PoolReader.ofThisJvm(), new Watch(name), writable),
                path.substring(path.lastIndexOf('/') + 1));
    }

    /** What a native image cannot see: the files of the page, and what becomes its JSON. */
    static final class Hints implements RuntimeHintsRegistrar {

        @Override
        public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
            hints.resources()
                    .registerPattern("dev/weir/console/page.*")
                    .registerPattern("META-INF/resources/webjars/uplot/*/dist/*");
            new BindingReflectionHintsRegistrar().registerReflectionHints(hints.reflection(), JvmView.class);
        }
    }
}

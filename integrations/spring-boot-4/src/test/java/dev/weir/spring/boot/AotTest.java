package dev.weir.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.WeirDataSource;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.aot.test.generate.TestGenerationContext;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.aot.ApplicationContextAotGenerator;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.test.tools.CompileWithForkedClassLoader;
import org.springframework.core.test.tools.TestCompiler;
import org.springframework.jdbc.core.JdbcTemplate;

/** What is generated ahead of time for a native image, started on a JVM. */
class AotTest {
    private static final Map<String, Object> PROPERTIES =
            Map.of("spring.datasource.url", "jdbc:h2:mem:aot", "spring.datasource.weir.maximum-pool-size", "7");

    @Configuration(proxyBeanMethods = false)
    @Import(PlainApplication.class)
    @ImportAutoConfiguration({WeirEndpointAutoConfiguration.class, WeirHealthAutoConfiguration.class})
    static class Operated {}

    @Test
    @CompileWithForkedClassLoader
    void contextGeneratedAheadOfTimeHasThePool() {
        TestGenerationContext generated = new TestGenerationContext();
        try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext()) {
            configure(context);
            context.register(Operated.class);
            new ApplicationContextAotGenerator().processAheadOfTime(context, generated);
        }
        generated.writeGeneratedContent();
        TestCompiler.forSystem()
                .with(generated)
                .compile(compiled -> start(compiled.getInstance(ApplicationContextInitializer.class)));
    }

    @SuppressWarnings("unchecked") // for any context
    private static void start(ApplicationContextInitializer<?> generated) {
        try (GenericApplicationContext context = new GenericApplicationContext()) {
            configure(context);
            ((ApplicationContextInitializer<GenericApplicationContext>) generated).initialize(context);
            context.refresh();
            assertThat(context.getBean(WeirDataSource.class).getMaximumPoolSize())
                    .isEqualTo(7);
            assertThat(context.getBean(JdbcTemplate.class).queryForObject("select 1", Integer.class))
                    .isEqualTo(1);
            assertThat(context.getBean(WeirHealthIndicator.class).health().getDetails())
                    .containsKey("dataSource");
        }
    }

    private static void configure(GenericApplicationContext context) {
        context.getEnvironment().getPropertySources().addFirst(new MapPropertySource("test", PROPERTIES));
    }
}

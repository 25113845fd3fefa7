package dev.weir.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.weir.WeirDataSource;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.data.jpa.test.autoconfigure.DataJpaTest;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.test.autoconfigure.AutoConfigureTestDatabase;
import org.springframework.boot.jdbc.test.autoconfigure.AutoConfigureTestDatabase.Replace;
import org.springframework.boot.jdbc.test.autoconfigure.JdbcTest;
import org.springframework.core.io.Resource;
import org.springframework.core.io.support.PathMatchingResourcePatternResolver;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.test.context.ContextConfiguration;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;

/** The slices of an application that Spring Boot's test annotations start have the pool that the application has. */
class SliceTest {
    private static final String NO_FLYWAY = "spring.flyway.enabled=false";
    private static final String QUIET = "logging.level.root=warn";

    /** As an application has it; its package is where entities are looked for. */
    @SpringBootConfiguration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {}

    private static void register(DynamicPropertyRegistry registry) {
        Fleet.properties().forEach((name, value) -> registry.add(name, () -> value));
    }

    @Nested
    @JdbcTest(properties = {NO_FLYWAY, QUIET})
    @AutoConfigureTestDatabase(replace = Replace.NONE)
    @ContextConfiguration(classes = Application.class)
    class Jdbc {
        @DynamicPropertySource
        static void properties(DynamicPropertyRegistry registry) {
            register(registry);
        }

        @Test
        void jdbcSliceWorksOnThePool(@Autowired DataSource dataSource, @Autowired JdbcTemplate jdbc) {
            assertThat(dataSource).isInstanceOf(WeirDataSource.class);
            assertThat(jdbc.queryForObject("select current_user", String.class)).isEqualTo(Fleet.USER);
        }
    }

    @Nested
    @DataJpaTest(properties = {NO_FLYWAY, QUIET})
    @AutoConfigureTestDatabase(replace = Replace.NONE)
    @ContextConfiguration(classes = Application.class)
    class Jpa {
        @DynamicPropertySource
        static void properties(DynamicPropertyRegistry registry) {
            register(registry);
            registry.add("spring.jpa.hibernate.ddl-auto", () -> "none");
        }

        @Test
        void jpaSliceWorksOnThePool(@Autowired DataSource dataSource, @Autowired JdbcTemplate jdbc) {
            assertThat(dataSource).isInstanceOf(WeirDataSource.class);
            assertThat(jdbc.queryForObject("select current_user", String.class)).isEqualTo(Fleet.USER);
        }
    }

    @Nested
    @JdbcTest(properties = {NO_FLYWAY, QUIET, "spring.test.database.replace=any"})
    @ContextConfiguration(classes = Application.class)
    class Replaced {
        @Test
        void embeddedDatabaseOfATestTakesThePlaceOfThePool(@Autowired DataSource dataSource) {
            assertThat(dataSource).isNotInstanceOfAny(WeirDataSource.class, HikariDataSource.class);
        }
    }

    @Nested
    @JdbcTest(properties = {NO_FLYWAY, QUIET, "spring.test.database.replace=auto_configured"})
    @ContextConfiguration(classes = Application.class)
    class ReplacedWhereAutoConfigured {
        @Test
        void poolIsOneThatWasAutoConfigured(@Autowired DataSource dataSource) {
            assertThat(dataSource).isNotInstanceOfAny(WeirDataSource.class, HikariDataSource.class);
        }
    }

    @Test
    void whereverBootListsItsDataSourceOursIsListed() throws IOException {
        List<String> slices = new ArrayList<>();
        PathMatchingResourcePatternResolver resolver = new PathMatchingResourcePatternResolver();
        for (Resource list : resolver.getResources("classpath*:META-INF/spring/*.test.*.imports")) {
            if (list.getContentAsString(StandardCharsets.UTF_8).contains(DataSourceAutoConfiguration.class.getName())) {
                slices.add(list.getFilename());
                assertThat(resolver.getResources("classpath*:META-INF/spring/" + list.getFilename()))
                        .as(list.getFilename())
                        .anyMatch(SliceTest::listsOurs);
            }
        }
        assertThat(slices).hasSizeGreaterThan(2);
    }

    private static boolean listsOurs(Resource list) {
        try {
            return list.getContentAsString(StandardCharsets.UTF_8).contains(WeirAutoConfiguration.class.getName());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}

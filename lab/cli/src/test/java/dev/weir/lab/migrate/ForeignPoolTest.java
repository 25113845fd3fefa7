package dev.weir.lab.migrate;

import static org.assertj.core.api.Assertions.assertThat;

import com.mchange.v2.c3p0.ComboPooledDataSource;
import dev.weir.WeirDataSource;
import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.util.Arrays;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.apache.commons.dbcp2.BasicDataSource;
import org.apache.tomcat.jdbc.pool.PoolProperties;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The tables of the other pools against those pools, and the guide against the tables. */
class ForeignPoolTest {
    private static final Path GUIDE = Path.of(System.getProperty("basedir", ""))
            .toAbsolutePath()
            .getParent()
            .getParent()
            .resolve("docs/guide/migrating.md");

    private static Object bean(ForeignPool pool) {
        return switch (pool) {
            case TOMCAT -> new PoolProperties();
            case DBCP2 -> new BasicDataSource();
            case C3P0 -> new ComboPooledDataSource();
        };
    }

    @ParameterizedTest
    @EnumSource
    void noPropertyIsForgottenAndNoneInvented(ForeignPool pool) {
        Set<String> real = Arrays.stream(bean(pool).getClass().getMethods())
                .filter(method -> method.getName().startsWith("set") && method.getParameterCount() == 1)
                .map(method -> Character.toLowerCase(method.getName().charAt(3))
                        + method.getName().substring(4))
                .collect(Collectors.toCollection(TreeSet::new));
        assertThat(pool.properties())
                .extracting(ForeignProperty::name)
                .doesNotHaveDuplicates()
                .containsExactlyInAnyOrderElementsOf(real);
    }

    @ParameterizedTest
    @EnumSource
    void defaultsAreTheRealOnes(ForeignPool pool) {
        DriverManager.setLoginTimeout(0); // a switch of the whole JVM, which some pools move and c3p0 shows as its own
        Set<String> generated = Set.of("name", "identityToken", "dataSourceName", "connectionPoolDataSource");
        for (ForeignProperty property : pool.properties()) {
            if (Set.of("logWriter", "registerConnectionMBean").contains(property.name())) {
                continue; // without a getter, or with one that opens the pool
            }
            Object real = valueOf(bean(pool), property.name());
            boolean told = real != null && !generated.contains(property.name());
            if (!property.byDefault().isEmpty()) {
                assertThat(real).as(property.name()).hasToString(property.byDefault());
            } else if (told) {
                assertThat(real.toString()).as(property.name()).isIn("", "PT-0.001S");
            }
        }
    }

    /** The value of the getter, or null where there is none. */
    private static Object valueOf(Object bean, String name) {
        String capitalised = Character.toUpperCase(name.charAt(0)) + name.substring(1);
        for (String getter : new String[] {"get" + capitalised, "is" + capitalised}) {
            try {
                Method method = bean.getClass().getMethod(getter);
                return method.invoke(bean);
            } catch (ReflectiveOperationException e) {
                // the other form, or none
            }
        }
        return null;
    }

    @ParameterizedTest
    @EnumSource
    void everySettingNamedIsOneOfWeirs(ForeignPool pool) {
        Set<String> setters = Arrays.stream(WeirDataSource.class.getMethods())
                .map(Method::getName)
                .collect(Collectors.toSet());
        for (ForeignProperty property : pool.properties()) {
            String name = property.setting();
            if (name.isEmpty()) {
                assertThat(property.differs()).as(property.name()).isNotEmpty();
            } else {
                assertThat(setters).contains("set" + Character.toUpperCase(name.charAt(0)) + name.substring(1));
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void guideIsWhatTheCodeSays(ForeignPool pool) throws IOException {
        String beginMark = "<!-- " + pool.key() + ":begin, written by ForeignPoolTest -->\n";
        String text = Files.readString(GUIDE);
        int begin = text.indexOf(beginMark);
        int end = text.indexOf("<!-- " + pool.key() + ":end -->");
        assertThat(begin).as(beginMark).isNotNegative().isLessThan(end);
        String expected = text.substring(0, begin + beginMark.length()) + table(pool) + text.substring(end);
        if (Boolean.getBoolean("weir.docs.update")) {
            Files.writeString(GUIDE, expected);
        }
        assertThat(GUIDE)
                .as("run with -Dweir.docs.update=true to rewrite it")
                .content()
                .isEqualTo(expected);
    }

    private static String table(ForeignPool pool) {
        StringBuilder text =
                new StringBuilder("| " + pool.title() + " | its default | Weir | what differs, and why |\n");
        text.append("|---|---|---|---|\n");
        for (ForeignProperty property : pool.properties()) {
            text.append("| `").append(property.name()).append("` | ");
            text.append(code(property.byDefault())).append(" | ");
            text.append(property.setting().isEmpty() ? "none" : code(property.setting()) + unit(property));
            text.append(" | ").append(property.differs().replace("<", "&lt;")).append(" |\n");
        }
        return text.toString();
    }

    private static String unit(ForeignProperty property) {
        return property.unit() == ForeignProperty.Unit.SECONDS ? ", seconds there" : "";
    }

    private static String code(String text) {
        return text.isEmpty() ? "" : '`' + text + '`';
    }
}

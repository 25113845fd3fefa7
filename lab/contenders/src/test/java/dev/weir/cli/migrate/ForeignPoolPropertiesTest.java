package dev.weir.cli.migrate;

import static org.assertj.core.api.Assertions.assertThat;

import com.mchange.v2.c3p0.ComboPooledDataSource;
import java.lang.reflect.Method;
import java.sql.DriverManager;
import java.util.Arrays;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.apache.commons.dbcp2.BasicDataSource;
import org.apache.tomcat.jdbc.pool.PoolProperties;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The tables that {@code weir migrate} reads against the pools they describe, which are here. */
class ForeignPoolPropertiesTest {
    private static Object bean(ForeignPool pool) {
        return switch (pool) {
            case TOMCAT -> new PoolProperties();
            case DBCP2 -> new BasicDataSource();
            case C3P0 -> new ComboPooledDataSource();
            case DROPWIZARD, QUARKUS -> throw new IllegalArgumentException(pool + ": no bean here");
        };
    }

    @ParameterizedTest
    @EnumSource(names = {"TOMCAT", "DBCP2", "C3P0"})
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
    @EnumSource(names = {"TOMCAT", "DBCP2", "C3P0"})
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
}

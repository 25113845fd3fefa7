package dev.weir.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.WeirDataSource;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.handler.NoUnboundElementsBindHandler;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;

/** What an editor offers is what the pool takes. */
class MetadataTest {
    private static final Pattern PROPERTY = Pattern.compile(
            "\"name\": \"spring\\.datasource\\.weir\\.([a-z0-9-]+)\".*?\"description\": \"[^\"]+\"(?:, \"defaultValue\": \"?([^\"}]+)\"?)?}",
            Pattern.DOTALL);

    @Test
    void everyPropertyBindsAndHasItsDefault() throws Exception {
        Map<String, String> defaults = new LinkedHashMap<>();
        try (InputStream in =
                WeirAutoConfiguration.class.getResourceAsStream("/META-INF/spring-configuration-metadata.json")) {
            Matcher matcher = PROPERTY.matcher(new String(in.readAllBytes(), StandardCharsets.UTF_8));
            while (matcher.find()) {
                defaults.put(matcher.group(1), matcher.group(2));
            }
        }
        assertThat(defaults).hasSizeGreaterThan(30).containsEntry("maximum-pool-size", "60");

        Map<String, String> given = new LinkedHashMap<>();
        defaults.forEach((name, value) -> given.put("weir." + name, value == null ? null : value));
        given.values().removeIf(value -> value == null);
        given.put("weir.url", "jdbc:h2:mem:x");
        given.put("weir.username", "sa");
        given.put("weir.password", "s");
        given.put("weir.transaction-isolation", "SERIALIZABLE");
        try (WeirDataSource untouched = new WeirDataSource();
                WeirDataSource pool = new WeirDataSource()) {
            new Binder(new MapConfigurationPropertySource(given))
                    .bind(
                            "weir",
                            Bindable.ofInstance(pool),
                            new NoUnboundElementsBindHandler(
                                    org.springframework.boot.context.properties.bind.BindHandler.DEFAULT));
            untouched.setUrl("jdbc:h2:mem:x");
            Map<String, String> bound = new LinkedHashMap<>(pool.config().values());
            assertThat(bound).containsAllEntriesOf(untouched.config().values());
        }
    }
}

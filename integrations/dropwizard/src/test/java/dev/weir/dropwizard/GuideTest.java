package dev.weir.dropwizard;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.PoolConfig;
import io.dropwizard.db.DataSourceFactory;
import java.beans.Introspector;
import java.beans.PropertyDescriptor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** What docs/start/dropwizard.md says. */
class GuideTest {
    private static final Path GUIDE = Path.of("..", "..", "docs", "start", "dropwizard.md");
    private static final Pattern SWITCH = Pattern.compile("```diff\n database:\n(.*?)```", Pattern.DOTALL);

    private static List<String> switches() throws IOException {
        return SWITCH.matcher(Files.readString(GUIDE))
                .results()
                .map((MatchResult block) -> block.group(1))
                .toList();
    }

    private static PoolConfig after(String diff) throws Exception {
        String[] lines = diff.lines()
                .filter(line -> !line.startsWith("-"))
                .map(line -> line.substring(3))
                .toArray(String[]::new);
        return Yaml.read(lines).builder().build();
    }

    @Test
    void theNewLinesOfBothSwitchesAreRight() throws Exception {
        assertThat(switches()).hasSize(2);
        PoolConfig fromTomcat = after(switches().get(0));
        assertThat(fromTomcat.maximumPoolSize()).isEqualTo(32);
        assertThat(fromTomcat.driverClassName()).isEqualTo("org.postgresql.Driver");
        assertThat(fromTomcat.transactionIsolation()).isEqualTo(2);
        assertThat(fromTomcat.dataSourceProperties()).containsEntry("ApplicationName", "shop");
        PoolConfig fromHikari = after(switches().get(1));
        assertThat(fromHikari.minimumPoolSize()).isEqualTo(20);
        assertThat(fromHikari.idleTimeout()).isEqualTo(Duration.ofMinutes(10));
        assertThat(fromHikari.dataSourceProperties()).containsEntry("ApplicationName", "shop");
    }

    @Test
    void theLinesOfTheFleetAreRight() throws Exception {
        MatchResult block = Pattern.compile("```yaml\\ndatabase:\\n(.*?)```", Pattern.DOTALL)
                .matcher(Files.readString(GUIDE))
                .results()
                .findFirst()
                .orElseThrow();
        FleetConfiguration fleet = Yaml.read(
                        block.group(1).lines().map(line -> line.substring(2)).toArray(String[]::new))
                .fleet();
        assertThat(fleet.name).isEqualTo("shop");
        assertThat(fleet.application).isEqualTo("orders");
        assertThat(fleet.guaranteed).isEqualTo(10);
    }

    /** The fields are the setters. */
    @Test
    void everyFieldOfAFleetIsNamed() throws Exception {
        String guide = Files.readString(GUIDE);
        assertThat(Introspector.getBeanInfo(FleetConfiguration.class).getPropertyDescriptors())
                .filteredOn(field -> field.getWriteMethod() != null)
                .hasSize(10)
                .allMatch(field -> guide.contains('`' + field.getName() + '`'));
    }

    /** The table names them all, so that nobody looks for a line in vain. */
    @Test
    void everyFieldOfDropwizardsOwnPoolIsInTheTable() throws Exception {
        String guide = Files.readString(GUIDE);
        PropertyDescriptor[] fields =
                Introspector.getBeanInfo(DataSourceFactory.class).getPropertyDescriptors();
        assertThat(Arrays.stream(fields)
                        .filter(field -> field.getWriteMethod() != null)
                        .map(PropertyDescriptor::getName))
                .hasSizeGreaterThan(30)
                .allMatch(name -> guide.contains('`' + name + '`'));
    }
}

package rehearsal;

import com.codahale.metrics.MetricRegistry;
import dev.weir.WeirDataSource;
import dev.weir.dropwizard.WeirDataSourceFactory;
import io.dropwizard.configuration.YamlConfigurationFactory;
import io.dropwizard.db.ManagedDataSource;
import io.dropwizard.jackson.Jackson;
import io.dropwizard.jersey.validation.Validators;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;

public final class App {
    public static void main(String[] args) throws Exception {
        Path yaml = Files.createTempFile("shop", ".yml");
        Files.writeString(yaml, "url: jdbc:h2:mem:shop\nuser: sa\npassword: ''\nmaxSize: 7\nminSize: 1\n");
        WeirDataSourceFactory factory = new YamlConfigurationFactory<>(
                        WeirDataSourceFactory.class, Validators.newValidator(), Jackson.newObjectMapper(), "dw")
                .build(yaml.toFile());
        Files.delete(yaml);
        ManagedDataSource pool = factory.build(new MetricRegistry(), "shop");
        pool.start();
        try (Connection connection = pool.getConnection();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("select 6 * 7")) {
            rows.next();
            check(rows.getInt(1) == 42, "the answer");
        }
        check(pool.unwrap(WeirDataSource.class).config().maximumPoolSize() == 7, "the maximum");
        pool.stop();
    }

    private static void check(boolean holds, String what) {
        if (!holds) {
            throw new AssertionError(what);
        }
    }
}

package rehearsal;

import dev.weir.WeirDataSource;
import javax.sql.DataSource;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootVersion;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.SpringVersion;
import org.springframework.jdbc.core.JdbcTemplate;

@SpringBootApplication
public class App {
    public static void main(String[] args) {
        try (ConfigurableApplicationContext context = SpringApplication.run(App.class, args)) {
            int answer = context.getBean(JdbcTemplate.class).queryForObject("select 6 * 7", Integer.class);
            check(answer == 42, "the answer");
            WeirDataSource pool = (WeirDataSource) context.getBean(DataSource.class);
            check(pool.config().maximumPoolSize() == 7, "the maximum");
            check(SpringBootVersion.getVersion().startsWith("4."), "Spring Boot " + SpringBootVersion.getVersion());
            check(SpringVersion.getVersion().startsWith("7."), "Spring Framework " + SpringVersion.getVersion());
        }
    }

    private static void check(boolean holds, String what) {
        if (!holds) {
            throw new AssertionError(what);
        }
    }
}

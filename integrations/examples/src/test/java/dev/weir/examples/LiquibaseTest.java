package dev.weir.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.WeirDataSource;
import java.sql.Connection;
import liquibase.command.CommandScope;
import liquibase.command.core.UpdateCommandStep;
import liquibase.command.core.helpers.DbUrlConnectionArgumentsCommandStep;
import liquibase.database.Database;
import liquibase.database.DatabaseFactory;
import liquibase.database.jvm.JdbcConnection;
import org.junit.jupiter.api.Test;

class LiquibaseTest {

    @Test
    void changesRunOnThePool() throws Exception {
        try (WeirDataSource dataSource = Pools.h2("liquibase")) {
            // snippet:liquibase
            try (Connection connection = dataSource.getConnection()) {
                Database database =
                        DatabaseFactory.getInstance().findCorrectDatabaseImplementation(new JdbcConnection(connection));
                new CommandScope(UpdateCommandStep.COMMAND_NAME)
                        .addArgumentValue(DbUrlConnectionArgumentsCommandStep.DATABASE_ARG, database)
                        .addArgumentValue(UpdateCommandStep.CHANGELOG_FILE_ARG, "db/changelog.sql")
                        .execute();
            }
            // snippet:end
            assertThat(Pools.number(dataSource, "select count(*) from ship")).isZero();
            assertThat(dataSource.stats().inUse()).isZero();
        }
    }
}

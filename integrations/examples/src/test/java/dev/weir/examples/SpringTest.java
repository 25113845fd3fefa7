package dev.weir.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.PoolConfig;
import dev.weir.WeirDataSource;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;

class SpringTest {

    // snippet:spring
    @Configuration
    @EnableTransactionManagement
    static class Database {
        @Bean // closed with the context
        WeirDataSource dataSource() {
            return new WeirDataSource(PoolConfig.builder()
                    .url("jdbc:h2:mem:spring")
                    .username("sa")
                    .password("")
                    .maximumPoolSize(20)
                    .build());
        }

        @Bean
        JdbcTransactionManager transactionManager(DataSource dataSource) {
            return new JdbcTransactionManager(dataSource);
        }

        @Bean
        JdbcTemplate jdbcTemplate(DataSource dataSource) {
            return new JdbcTemplate(dataSource);
        }
    }
    // snippet:end

    /** Work in a transaction. */
    @Transactional
    static class Ships {
        private final JdbcTemplate db;

        Ships(JdbcTemplate db) {
            this.db = db;
        }

        void add(String name, boolean sinks) {
            db.update("insert into ship values (?)", name);
            if (sinks) {
                throw new IllegalStateException("sunk");
            }
        }
    }

    @Test
    void transactionsAreOfThePoolThatEndsWithTheContext() {
        WeirDataSource pool;
        try (var context = new AnnotationConfigApplicationContext(Database.class, Ships.class)) {
            pool = context.getBean(WeirDataSource.class);
            JdbcTemplate db = context.getBean(JdbcTemplate.class);
            db.execute("create table ship (name varchar(40))");
            Ships ships = context.getBean(Ships.class);
            ships.add("Vasa", false);
            assertThatThrownBy(() -> ships.add("Titanic", true)).hasMessage("sunk");
            assertThat(db.queryForList("select name from ship", String.class)).containsExactly("Vasa");
            assertThat(pool.stats().inUse()).isZero();
        }
        assertThat(pool.isClosed()).isTrue();
    }
}

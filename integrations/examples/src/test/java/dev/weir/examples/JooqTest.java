package dev.weir.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.WeirDataSource;
import java.util.List;
import org.jooq.DSLContext;
import org.jooq.SQLDialect;
import org.jooq.impl.DSL;
import org.junit.jupiter.api.Test;

class JooqTest {

    @Test
    void transactionsAreOfThePool() {
        try (WeirDataSource dataSource = Pools.h2("jooq")) {
            // snippet:jooq
            DSLContext db = DSL.using(dataSource, SQLDialect.H2);
            db.transaction(tx -> {
                tx.dsl().execute("create table ship (name varchar(40))");
                tx.dsl().execute("insert into ship values (?)", "Vasa");
            });
            List<String> ships = db.fetch("select name from ship").getValues(0, String.class);
            // snippet:end
            assertThat(ships).containsExactly("Vasa");
            assertThat(dataSource.stats().inUse()).isZero();
        }
    }
}

package dev.weir.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.WeirDataSource;
import java.util.List;
import org.apache.ibatis.annotations.Insert;
import org.apache.ibatis.annotations.Select;
import org.apache.ibatis.annotations.Update;
import org.apache.ibatis.mapping.Environment;
import org.apache.ibatis.session.Configuration;
import org.apache.ibatis.session.SqlSession;
import org.apache.ibatis.session.SqlSessionFactory;
import org.apache.ibatis.session.SqlSessionFactoryBuilder;
import org.apache.ibatis.transaction.jdbc.JdbcTransactionFactory;
import org.junit.jupiter.api.Test;

class MyBatisTest {

    /** What is asked of the database. */
    public interface Ships {
        @Update("create table ship (name varchar(40))")
        void create();

        @Insert("insert into ship values (#{name})")
        void add(String name);

        @Select("select name from ship")
        List<String> all();
    }

    @Test
    void sessionsAreOfThePool() {
        try (WeirDataSource dataSource = Pools.h2("mybatis")) {
            // snippet:mybatis
            Environment environment = new Environment("shop", new JdbcTransactionFactory(), dataSource);
            Configuration configuration = new Configuration(environment);
            configuration.addMapper(Ships.class);
            SqlSessionFactory sessions = new SqlSessionFactoryBuilder().build(configuration);
            try (SqlSession session = sessions.openSession()) {
                Ships ships = session.getMapper(Ships.class);
                ships.create();
                ships.add("Vasa");
                session.commit(); // without it, nothing is stored
            }
            // snippet:end
            try (SqlSession session = sessions.openSession()) {
                session.getMapper(Ships.class).add("Titanic");
            }
            try (SqlSession session = sessions.openSession()) {
                assertThat(session.getMapper(Ships.class).all()).containsExactly("Vasa");
            }
            assertThat(dataSource.stats().inUse()).isZero();
        }
    }
}

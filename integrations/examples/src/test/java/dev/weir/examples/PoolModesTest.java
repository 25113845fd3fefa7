package dev.weir.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.HeldConnection;
import dev.weir.PoolConfig;
import dev.weir.WeirDataSource;
import dev.weir.testkit.servers.PostgresServer;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import liquibase.command.CommandScope;
import liquibase.command.core.UpdateCommandStep;
import liquibase.command.core.helpers.DbUrlConnectionArgumentsCommandStep;
import liquibase.database.Database;
import liquibase.database.DatabaseFactory;
import liquibase.database.jvm.JdbcConnection;
import org.apache.ibatis.mapping.Environment;
import org.apache.ibatis.session.Configuration;
import org.apache.ibatis.session.ExecutorType;
import org.apache.ibatis.session.SqlSession;
import org.apache.ibatis.session.SqlSessionFactory;
import org.apache.ibatis.session.SqlSessionFactoryBuilder;
import org.apache.ibatis.transaction.jdbc.JdbcTransactionFactory;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.MigrationVersion;
import org.flywaydb.core.api.migration.Context;
import org.flywaydb.core.api.migration.JavaMigration;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.result.ResultIterator;
import org.jooq.CloseableResultQuery;
import org.jooq.Cursor;
import org.jooq.DSLContext;
import org.jooq.Record;
import org.jooq.SQLDialect;
import org.jooq.impl.DSL;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.CannotCreateTransactionException;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

/** The libraries in each mode of the pool, on PostgreSQL: that they work, and what holds a connection of the database in each. */
class PoolModesTest {
    private static final AtomicInteger DATABASES = new AtomicInteger();
    private static PostgresServer server;

    private WeirDataSource pool;
    private String mode = "";

    /** Runs once in each mode. */
    @Retention(RetentionPolicy.RUNTIME)
    @ParameterizedTest
    @ValueSource(strings = {"session", "lazy", "transaction"})
    @interface InEachMode {}

    @BeforeAll
    static void startServer() {
        server = PostgresServer.launch();
    }

    @AfterAll
    static void closeServer() {
        server.close();
    }

    @AfterEach
    void nothingIsLeftInUse() {
        try (WeirDataSource closing = pool) {
            assertThat(closing.held()).isEmpty();
        }
    }

    private WeirDataSource pool(String inMode, int size) {
        String database = "ships" + DATABASES.incrementAndGet();
        server.execute("create database " + database);
        mode = inMode;
        pool = new WeirDataSource(PoolConfig.builder()
                .url(server.jdbcUrl(database))
                .username("postgres")
                .poolMode(inMode)
                .maximumPoolSize(size)
                .minimumPoolSize(0)
                .connectionTimeout(Duration.ofSeconds(size == 1 ? 1 : 10))
                .build());
        return pool;
    }

    private WeirDataSource poolWithShips(String inMode, int size) {
        WeirDataSource made = pool(inMode, size);
        new JdbcTemplate(made).execute("create table ship (name varchar(40))");
        return made;
    }

    /** What is in use in the mode {@code transaction}; the others hold one to the end. */
    private void isHeldByTransaction(int number) {
        List<HeldConnection> held = pool.held();
        assertThat(held.size())
                .as(() -> mode + held.stream().map(HeldConnection::lastSql).toList())
                .isEqualTo(mode.equals("transaction") ? number : 1);
    }

    // Spring.

    @InEachMode
    void springsTransactionsAreCommittedAndRolledBack(String inMode) {
        JdbcTemplate db = new JdbcTemplate(poolWithShips(inMode, 2));
        TransactionTemplate transaction = new TransactionTemplate(new JdbcTransactionManager(pool));
        transaction.executeWithoutResult(status -> db.update("insert into ship values (?)", "Vasa"));
        assertThatThrownBy(() -> transaction.executeWithoutResult(status -> {
                    db.update("insert into ship values (?)", "Titanic");
                    throw new IllegalStateException("sunk");
                }))
                .hasMessage("sunk");
        assertThat(db.queryForList("select name from ship", String.class)).containsExactly("Vasa");
    }

    /** Which Spring sets on a connection that has none of the database yet. */
    @InEachMode
    void isolationAndReadOnlyOfATransactionAreThoseOfNoOther(String inMode) {
        JdbcTemplate db = new JdbcTemplate(poolWithShips(inMode, 2));
        TransactionTemplate strict = new TransactionTemplate(new JdbcTransactionManager(pool));
        strict.setIsolationLevel(TransactionDefinition.ISOLATION_SERIALIZABLE);
        strict.setReadOnly(true);
        TransactionTemplate usual = new TransactionTemplate(new JdbcTransactionManager(pool));
        String asked =
                "select current_setting('transaction_isolation') || ' ' || current_setting('transaction_read_only')";
        for (int i = 0; i < 2; i++) {
            assertThat(strict.<String>execute(status -> db.queryForObject(asked, String.class)))
                    .isEqualTo("serializable on");
            assertThat(usual.<String>execute(status -> db.queryForObject(asked, String.class)))
                    .isEqualTo("read committed off");
        }
    }

    @InEachMode
    void aStreamOfSpringHoldsItsRowsAndASavepointItsTransaction(String inMode) {
        JdbcTemplate db = new JdbcTemplate(poolWithShips(inMode, 2));
        db.setFetchSize(1);
        db.batchUpdate("insert into ship values (?)", List.of(new Object[] {"Vasa"}, new Object[] {"Beagle"}));
        TransactionTemplate outer = new TransactionTemplate(new JdbcTransactionManager(pool));
        TransactionTemplate nested = new TransactionTemplate(new JdbcTransactionManager(pool));
        nested.setPropagationBehavior(TransactionDefinition.PROPAGATION_NESTED);
        outer.executeWithoutResult(status -> {
            try (Stream<String> names = db.queryForStream("select name from ship", (row, i) -> row.getString(1))) {
                assertThat(names).hasSize(2);
            }
            assertThatThrownBy(() -> nested.executeWithoutResult(within -> {
                        db.update("insert into ship values (?)", "Titanic");
                        throw new IllegalStateException("sunk");
                    }))
                    .hasMessage("sunk");
            isHeldByTransaction(1);
            db.update("insert into ship values (?)", "Argo");
        });
        try (Stream<String> names = db.queryForStream("select name from ship", (row, i) -> row.getString(1))) {
            isHeldByTransaction(1);
            assertThat(names).containsExactly("Vasa", "Beagle", "Argo");
        }
    }

    /** Such a scope has one connection for all its statements. */
    @InEachMode
    void aScopeOfSpringWithoutATransactionHoldsNothingBetweenItsStatements(String inMode) {
        JdbcTemplate db = new JdbcTemplate(poolWithShips(inMode, 2));
        TransactionTemplate scope = new TransactionTemplate(new JdbcTransactionManager(pool));
        scope.setPropagationBehavior(TransactionDefinition.PROPAGATION_SUPPORTS);
        scope.executeWithoutResult(status -> {
            db.update("insert into ship values (?)", "Vasa");
            isHeldByTransaction(0);
            assertThat(db.queryForList("select name from ship", String.class)).containsExactly("Vasa");
            isHeldByTransaction(0);
        });
    }

    @InEachMode
    void aTransactionThatHasSentNothingLeavesTheOnlyConnectionToTheOneWithinIt(String inMode) {
        JdbcTemplate db = new JdbcTemplate(poolWithShips(inMode, 1));
        JdbcTransactionManager transactions = new JdbcTransactionManager(pool);
        TransactionTemplate outer = new TransactionTemplate(transactions);
        TransactionTemplate inner = new TransactionTemplate(transactions);
        inner.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
        Runnable both = () -> outer.executeWithoutResult(first -> {
            inner.executeWithoutResult(second -> db.update("insert into ship values (?)", "Vasa"));
            db.update("insert into ship values (?)", "Mary Rose");
        });
        if (inMode.equals("session")) {
            assertThatThrownBy(both::run).isInstanceOf(CannotCreateTransactionException.class);
        } else {
            both.run();
            assertThat(db.queryForObject("select count(*) from ship", Integer.class))
                    .isEqualTo(2);
        }
    }

    // Jdbi.

    @InEachMode
    void aHandleOfJdbiHoldsATransactionAndAnIterator(String inMode) {
        try (Handle handle = Jdbi.create(poolWithShips(inMode, 2)).open()) {
            handle.useTransaction(work -> {
                work.execute("insert into ship values (?)", "Vasa");
                isHeldByTransaction(1);
            });
            isHeldByTransaction(0);
            try (ResultIterator<String> names = handle.createQuery("select name from ship")
                    .mapTo(String.class)
                    .iterator()) {
                isHeldByTransaction(1);
                assertThat(names.next()).isEqualTo("Vasa");
            }
            isHeldByTransaction(0);
            handle.begin().execute("insert into ship values (?)", "Titanic");
            handle.rollback();
            isHeldByTransaction(0);
            assertThat(handle.createQuery("select name from ship")
                            .mapTo(String.class)
                            .list())
                    .containsExactly("Vasa");
        }
    }

    // jOOQ.

    @InEachMode
    void jooqHoldsWhatItKeepsOpen(String inMode) throws Exception {
        try (Connection connection = poolWithShips(inMode, 2).getConnection()) {
            DSLContext db = DSL.using(connection, SQLDialect.POSTGRES);
            db.transaction(tx -> {
                tx.dsl().execute("insert into ship values (?)", "Vasa");
                isHeldByTransaction(1);
            });
            isHeldByTransaction(0);
            assertThatThrownBy(() -> db.transaction(tx -> {
                        tx.dsl().execute("insert into ship values (?)", "Titanic");
                        throw new IllegalStateException("sunk");
                    }))
                    .hasMessage("sunk");
            isHeldByTransaction(0);
            try (CloseableResultQuery<Record> kept =
                    db.resultQuery("select name from ship").keepStatement(true)) {
                assertThat(kept.fetch().getValues(0, String.class)).containsExactly("Vasa");
                isHeldByTransaction(1); // keepStatement
            }
            isHeldByTransaction(0);
            try (Cursor<Record> rows = db.fetchLazy("select name from ship")) {
                isHeldByTransaction(1);
                assertThat(rows.fetchNext().get(0)).isEqualTo("Vasa");
            }
            isHeldByTransaction(0);
        }
    }

    // MyBatis.

    private SqlSessionFactory sessions(WeirDataSource dataSource) {
        Configuration configuration =
                new Configuration(new Environment("shop", new JdbcTransactionFactory(), dataSource));
        configuration.addMapper(MyBatisTest.Ships.class);
        return new SqlSessionFactoryBuilder().build(configuration);
    }

    @InEachMode
    void aSessionOfMyBatisHoldsItsTransaction(String inMode) {
        SqlSessionFactory sessions = sessions(poolWithShips(inMode, 2));
        for (ExecutorType type : ExecutorType.values()) {
            new JdbcTemplate(pool).update("delete from ship");
            try (SqlSession session = sessions.openSession(type)) {
                MyBatisTest.Ships ships = session.getMapper(MyBatisTest.Ships.class);
                ships.add("Vasa");
                isHeldByTransaction(1);
                session.commit(); // closes the statements of each executor
                isHeldByTransaction(0);
                ships.add("Titanic");
                session.rollback();
                isHeldByTransaction(0);
                assertThat(ships.all()).containsExactly("Vasa");
                session.commit(); // does nothing where it has only read
                isHeldByTransaction(1);
                session.commit(true);
                isHeldByTransaction(0);
            }
        }
    }

    @InEachMode
    void outsideOfTransactionsMyBatisHoldsTheStatementsThatItReuses(String inMode) {
        SqlSessionFactory sessions = sessions(poolWithShips(inMode, 2));
        try (SqlSession session = sessions.openSession(ExecutorType.SIMPLE, true)) {
            assertThat(session.getMapper(MyBatisTest.Ships.class).all()).isEmpty();
            isHeldByTransaction(0);
        }
        try (SqlSession session = sessions.openSession(ExecutorType.REUSE, true)) {
            assertThat(session.getMapper(MyBatisTest.Ships.class).all()).isEmpty();
            isHeldByTransaction(1);
            boolean ignored = session.flushStatements().isEmpty();
            isHeldByTransaction(0);
        }
    }

    // Flyway and Liquibase.

    /** A migration that is not in a transaction, and counts what is in use. */
    private static final class Counting implements JavaMigration {
        private final WeirDataSource pool;
        private int held;
        private long locks;

        Counting(WeirDataSource pool) {
            this.pool = pool;
        }

        @Override
        public MigrationVersion getVersion() {
            return MigrationVersion.fromVersion("2");
        }

        @Override
        public String getDescription() {
            return "counting";
        }

        @Override
        public Integer getChecksum() {
            return 1;
        }

        @Override
        public boolean canExecuteInTransaction() {
            return false;
        }

        @Override
        public void migrate(Context context) {
            held = pool.held().size();
            locks = server.number("select count(*) from pg_locks where locktype = 'advisory'");
        }
    }

    /** A lock of a transaction is on a connection of its own; a lock of the session is on the one that migrates, and pins it. */
    @InEachMode
    void flywayHoldsTheConnectionOfItsLock(String inMode) throws Exception {
        for (boolean ofTransaction : new boolean[] {true, false}) {
            try (WeirDataSource migrated = pool(inMode, 4)) {
                Counting counting = new Counting(migrated);
                Flyway.configure()
                        .dataSource(migrated)
                        .configuration(Map.of("flyway.postgresql.transactional.lock", String.valueOf(ofTransaction)))
                        .javaMigrations(counting)
                        .load()
                        .migrate();
                assertThat(counting.locks).isEqualTo(1);
                assertThat(counting.held).isEqualTo(ofTransaction && !mode.equals("transaction") ? 2 : 1);
                assertThat(Pools.number(migrated, "select count(*) from ship")).isZero();
                assertThat(migrated.held()).isEmpty();
            }
        }
    }

    /** Its last question begins a transaction that it leaves open. */
    @InEachMode
    void liquibaseHoldsItsConnectionUntilThatIsClosed(String inMode) throws Exception {
        try (Connection connection = pool(inMode, 4).getConnection()) {
            Database database =
                    DatabaseFactory.getInstance().findCorrectDatabaseImplementation(new JdbcConnection(connection));
            new CommandScope(UpdateCommandStep.COMMAND_NAME)
                    .addArgumentValue(DbUrlConnectionArgumentsCommandStep.DATABASE_ARG, database)
                    .addArgumentValue(UpdateCommandStep.CHANGELOG_FILE_ARG, "db/changelog.sql")
                    .execute();
            isHeldByTransaction(1);
            connection.rollback();
            isHeldByTransaction(0);
        }
        assertThat(Pools.number(pool, "select count(*) from ship")).isZero();
    }
}

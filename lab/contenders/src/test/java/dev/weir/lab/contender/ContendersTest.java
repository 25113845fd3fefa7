package dev.weir.lab.contender;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.weir.lab.stub.StubDataSource;
import dev.weir.testkit.Await;
import java.nio.file.Path;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class ContendersTest {
    private static final ClassLoader LOADER = ContendersTest.class.getClassLoader();

    static Stream<Contender> pools() {
        return Contenders.allBut().stream().map(Contenders::named);
    }

    @ParameterizedTest
    @MethodSource("pools")
    void everyContenderLendsAndCounts(Contender contender) throws Exception {
        for (Profile profile : Profile.values()) {
            StubDataSource driver = new StubDataSource();
            PoolSpec spec = PoolSpec.of(driver)
                    .size(2, 4)
                    .connectionTimeout(Duration.ofSeconds(5))
                    .observed(true)
                    .profile(profile);
            try (PoolUnderTest pool = contender.open(spec)) {
                pool.fill(4);
                Connection first = pool.dataSource().getConnection();
                try (Connection second = pool.dataSource().getConnection()) {
                    assertThat(second).isNotSameAs(contender.name().equals("raw") ? null : first);
                    assertCounts(contender.name(), pool);
                } finally {
                    first.close();
                }
            }
            assertThat(contender.limits(profile))
                    .allSatisfy(limit -> assertThat(limit).isNotBlank());
            // Some close their connections in threads of their own.
            Await.await(contender + " has closed all", Duration.ofSeconds(10), () -> driver.open() == 0);
        }
        assertThat(contender.version()).isNotEqualTo("unknown");
    }

    @ParameterizedTest
    @MethodSource("pools")
    void nobodyWaitsForTheTimeoutOnAPoolThatWasJustOpened(Contender contender) throws Exception {
        for (int i = 0; i < 5; i++) {
            PoolSpec spec = PoolSpec.of(new StubDataSource())
                    .size(2, 2)
                    .connectionTimeout(Duration.ofSeconds(60))
                    .validationTimeout(Duration.ofMillis(125));
            long begun = System.nanoTime();
            try (PoolUnderTest pool = contender.open(spec)) {
                pool.fill(2);
            }
            assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(Duration.ofSeconds(30));
        }
    }

    private static void assertCounts(String name, PoolUnderTest pool) {
        if (List.of("bonecp", "none", "raw").contains(name)) {
            assertThat(pool.counts()).isEqualTo(Counts.UNKNOWN);
            return;
        }
        // Some take back what is returned in threads of their own.
        Await.await(
                () -> "two in use: " + pool.counts(),
                Duration.ofSeconds(10),
                () -> pool.counts().active() == 2);
        assertThat(pool.counts().total()).isBetween(2, 4);
    }

    @Test
    void anUnknownNameIsRefusedWithTheListOfNames() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Contenders.parse("hikaru", LOADER))
                .withMessageStartingWith("pool: hikaru (expected: weir, hikari, tomcat, ");
    }

    @Test
    void parametersInBracketsAreThePoolsOwn() {
        Entrant entrant = Contenders.parse("c3p0[helperThreads=10]", LOADER);

        assertThat(entrant.label()).isEqualTo("c3p0[helperThreads=10]");
        assertThat(entrant.contender().name()).isEqualTo("c3p0");
        assertThat(entrant.parameters()).isEqualTo(Map.of("helperThreads", "10"));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Contenders.parse("c3p0[helpers=10]", LOADER))
                .withMessage(
                        "pool c3p0: property helpers (expected: one that com.mchange.v2.c3p0.ComboPooledDataSource can be told as text, a"
                                + " number, true or false)");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Contenders.parse("c3p0[helperThreads]", LOADER))
                .withMessageContaining("expected: name=value");
    }

    @Test
    void hikariCanFetchItsConnectionsLazilyThroughSpringsProxy() throws Exception {
        Entrant entrant = Contenders.parse("hikari[connectionFetch=lazy]", LOADER);
        PoolSpec spec = PoolSpec.of(new StubDataSource()).size(0, 1);

        try (PoolUnderTest pool = entrant.open(spec, Profile.EQUAL);
                Connection connection = pool.dataSource().getConnection()) {
            connection.setAutoCommit(false);
            assertThat(pool.counts().active()).isZero();
            connection.createStatement().close();
            assertThat(pool.counts().active()).isEqualTo(1);
        }
    }

    @Test
    void anyDataSourceClassCanTakePart() throws Exception {
        Entrant entrant = Contenders.parse(
                "mine=com.zaxxer.hikari.HikariDataSource?jdbcUrl={url}&maximumPoolSize={maximum}"
                        + "&connectionTimeout={timeout}&poolName=mine",
                LOADER);
        StubDataSource driver = new StubDataSource();

        try (PoolUnderTest pool =
                entrant.open(PoolSpec.of(driver).size(0, 3).connectionTimeout(Duration.ofSeconds(5)), Profile.EQUAL)) {
            pool.fill(3);
            assertThat(driver.opened()).isEqualTo(3);
        }

        assertThat(entrant.label()).isEqualTo("mine");
        assertThat(entrant.contender().limits(Profile.EQUAL)).hasSize(1);
        assertThat(driver.open()).isZero();
    }

    @Test
    void aDefinitionThatIsWrongIsRefusedByName() {
        for (Map.Entry<String, String> wrong : Map.of(
                        "mine=no.such.Class", "pool mine: class no.such.Class (expected: a class on --classpath)",
                        "my.own=com.zaxxer.hikari.HikariDataSource",
                                "pool: my.own=com.zaxxer.hikari.HikariDataSource (expected: name=class?property=value&..., a name of"
                                        + " letters, digits, _ and -; or name[parameter=value;...])",
                        "mine=java.lang.String", "pool mine: class java.lang.String (expected: a javax.sql.DataSource)",
                        "mine=com.zaxxer.hikari.HikariDataSource?jdbcUri=x",
                                "pool mine: property jdbcUri (expected: one that com.zaxxer.hikari.HikariDataSource can be told as text, a number, true or false)")
                .entrySet()) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> Contenders.parse(wrong.getKey(), LOADER))
                    .withMessage(wrong.getValue());
        }
        Entrant number = Contenders.parse("mine=com.zaxxer.hikari.HikariDataSource?maximumPoolSize=many", LOADER);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> number.open(PoolSpec.of(new StubDataSource()), Profile.EQUAL))
                .withMessage("pool mine: maximumPoolSize: many (expected: a number)");
    }

    @Test
    void aClassPathEntryThatDoesNotExistIsRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ExtraClassPath.loader(List.of("/no/such.jar")))
                .withMessageContaining("/no/such.jar");
    }

    @Test
    void whatTheExtraClassPathHasIsTakenFromThereThoughTheLaboratoryHasItToo() throws Exception {
        String jar = Path.of(com.zaxxer.hikari.HikariDataSource.class
                        .getProtectionDomain()
                        .getCodeSource()
                        .getLocation()
                        .toURI())
                .toString();
        ClassLoader loader = ExtraClassPath.loader(List.of(jar));

        Class<?> another = loader.loadClass(com.zaxxer.hikari.HikariDataSource.class.getName());

        assertThat(another).isNotSameAs(com.zaxxer.hikari.HikariDataSource.class);
        assertThat(DataSource.class).isAssignableFrom(another);
        assertThat(loader.loadClass(Contender.class.getName())).isSameAs(Contender.class);
    }
}

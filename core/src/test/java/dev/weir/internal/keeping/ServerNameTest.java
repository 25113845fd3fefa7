package dev.weir.internal.keeping;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.LogCapture;
import dev.weir.internal.engine.SteppedPool;
import dev.weir.internal.slots.Slot;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The connections follow the name of the server, once it leads elsewhere for good and another server answers. */
class ServerNameTest {
    private final SteppedPool stepped = SteppedPool.of(
            builder -> builder.maximumPoolSize(4).followServerName(true).maxLifetime(Duration.ZERO));
    private final LogCapture log = new LogCapture();
    private Set<InetAddress> answer = addresses("10.0.0.1");
    private int lookups;
    private long now;

    private final ServerName name =
            new ServerName(stepped.pool.state, "jdbc:test://db.example/", this::resolve, stepped.helpers);

    private Set<InetAddress> resolve(String host) throws IOException {
        assertThat(host).isEqualTo("db.example");
        lookups++;
        if (answer.isEmpty()) {
            throw new UnknownHostException(host);
        }
        return answer;
    }

    private static Set<InetAddress> addresses(String... literals) {
        return Stream.of(literals).map(ServerNameTest::address).collect(Collectors.toSet());
    }

    private static InetAddress address(String literal) {
        try {
            return InetAddress.getByName(literal);
        } catch (UnknownHostException e) {
            throw new AssertionError(e);
        }
    }

    private void opens(int count) throws SQLException {
        for (int i = 0; i < count; i++) {
            stepped.acquireHelped();
        }
        for (Slot slot : stepped.pool.slots.all()) {
            if (slot.serverAddresses.isEmpty()) {
                slot.serverAddresses = name.known();
            }
        }
    }

    /** So many looks, each when it is due. */
    private void looks(int count) {
        for (int i = 0; i < count; i++) {
            now += ServerName.LOOK_NANOS;
            name.resolveName(now);
            stepped.helpers.runAll();
        }
    }

    /** The time of replacement of each connection that is to be replaced. */
    private List<Long> renewed() {
        return Arrays.stream(stepped.pool.slots.all())
                .map(slot -> slot.lifetime.replaceAt())
                .filter(at -> at < Long.MAX_VALUE)
                .toList();
    }

    @Test
    void oneConnectionTriesTheNewServerBeforeTheOthersAreRenewed() throws SQLException {
        opens(1); // before the first lookup
        looks(1);
        opens(2);
        looks(3);
        answer = addresses("10.0.0.2");
        looks(ServerName.MISSED);
        assertThat(renewed()).isEmpty(); // the old address was in an answer five minutes ago
        looks(20);
        assertThat(renewed()).as("the one that is to find out").hasSize(1);
        assertThat(log.infos())
                .singleElement()
                .satisfies(message -> assertThat(message)
                        .contains("pool 'stepped': the server's name db.example leads to", "10.0.0.2", "of 3"));
        opens(1); // its replacement
        looks(1);
        assertThat(renewed()).hasSize(3);
        assertThat(renewed()).allMatch(at -> at <= now + ServerName.DRAIN_NANOS);
        assertThat(renewed()).doesNotHaveDuplicates();
    }

    @Test
    void aServerThatAnswersNobodyCostsOneConnection() throws SQLException {
        opens(4);
        looks(2);
        answer = addresses("10.0.0.2");
        looks(20 * ServerName.MISSED);
        assertThat(renewed()).hasSize(1);
    }

    /** It may be to the old server too. */
    @Test
    void aConnectionOpenedWhenTheOldAddressWasStillGoodProvesNothing() throws SQLException {
        opens(1);
        looks(1);
        opens(1);
        answer = addresses("10.0.0.1", "10.0.0.2");
        looks(1);
        opens(1);
        answer = addresses("10.0.0.2");
        looks(2 * ServerName.MISSED);
        assertThat(renewed()).hasSize(1);
    }

    @Test
    void anAddressThatIsStillAmongTheAnswersIsGood() throws SQLException {
        answer = addresses("10.0.0.1", "10.0.0.2");
        opens(1);
        looks(2);
        opens(1);
        answer = addresses("10.0.0.2", "10.0.0.3");
        looks(4 * ServerName.MISSED);
        assertThat(renewed()).isEmpty();
    }

    /** A reader endpoint, or weighted answers, with whatever cache between. */
    @ParameterizedTest
    @CsvSource({"1, 2", "3, 2", "1, 12", "5, 6"})
    void addressesThatTakeTurnsCostNoConnection(int looksEach, int servers) throws SQLException {
        for (int turn = 0; turn < 100; turn++) {
            answer = addresses("10.0.0." + (1 + turn % servers));
            looks(looksEach);
            if (turn < 4) {
                opens(1);
            }
        }
        assertThat(renewed()).isEmpty();
    }

    @Test
    void lookupsThatFailSayNothing() throws SQLException {
        opens(2);
        looks(2);
        answer = Set.of();
        looks(4 * ServerName.MISSED);
        answer = addresses("10.0.0.2");
        looks(2);
        assertThat(renewed()).isEmpty();
    }

    @Test
    void aPoolWithoutConnectionsLooksNothingUp() {
        looks(5);
        assertThat(lookups).isZero();
    }

    @Test
    void aConnectionThatIsRenewedGoesWhenItsReplacementIsThere() throws SQLException {
        stepped.acquireHelped().close();
        Slot old = stepped.pool.slots.all()[0];
        old.lifetime.bringForward(stepped.pool.clock.now(), Long.MAX_VALUE);
        stepped.run(Duration.ofSeconds(3));
        assertThat(stepped.pool.slots.all()).doesNotContain(old);
        assertThat(stepped.db.openNow()).isLessThanOrEqualTo(1);
    }

    @ParameterizedTest
    @CsvSource(
            nullValues = "none",
            value = {
                "jdbc:postgresql://db.example/shop, db.example",
                "jdbc:postgresql://db.example:5432/shop?ssl=true, db.example",
                "jdbc:mariadb://db.example, db.example",
                "jdbc:mysql:loadbalance://db.example/x, db.example",
                "jdbc:oracle:thin:@//db.example:1521/x, db.example",
                "jdbc:sqlserver://db.example:1433;databaseName=x, db.example",
                "jdbc:postgresql://10.0.0.1:5432/shop, none",
                "jdbc:postgresql://[::1]:5432/shop, none",
                "jdbc:postgresql://localhost:5432/shop, none",
                "'jdbc:postgresql://one:5432,two:5432/shop', none",
                "'jdbc:mysql://one,two/shop', none",
                "jdbc:mysql://user:secret@one/shop, none",
                "jdbc:postgresql:shop, none",
                "jdbc:h2:mem:x, none",
                "none, none"
            })
    void oneHostByNameIsFollowed(String url, String host) {
        assertThat(ServerName.hostOf(url)).isEqualTo(host);
    }

    @Test
    void itIsOffUnlessItIsTurnedOn() throws SQLException {
        try (SteppedPool usual = SteppedPool.of(b -> b)) {
            ServerName off = new ServerName(usual.pool.state, "jdbc:test://db.example/", this::resolve, usual.helpers);
            usual.acquireHelped();
            assertThat(off.resolveName(now + ServerName.LOOK_NANOS)).isEqualTo(Long.MAX_VALUE);
            assertThat(lookups).isZero();
        }
    }
}

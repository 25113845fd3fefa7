package dev.weir.lab.workload.failover;

import dev.weir.lab.contender.PoolSpec;
import dev.weir.testkit.TcpProxy;
import dev.weir.testkit.servers.PostgresPair;
import dev.weir.testkit.servers.PostgresServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A primary and its standby, and what stands between them and the pool: a proxy that leads to the one or the other, or a
 * host name with two addresses, a proxy at each. The pools' driver has its own defaults.
 */
final class Site implements AutoCloseable {
    static final String INSERT = "INSERT INTO writes DEFAULT VALUES";
    private static final String USER = "failover";
    private static final String PASSWORD = "failover";
    private static final String FIRST_ADDRESS = "127.0.0.1";
    private static final String SECOND_ADDRESS = "127.0.0.2";
    private static final int SPARE_CONNECTIONS = 40;
    private static final int PORTS_TO_TRY = 20;

    private final PostgresPair pair;
    private final TcpProxy proxy;
    private final @Nullable TcpProxy second;
    private final @Nullable HostName name;

    /**
     * Starts the servers, with room for so many connections, and for those that nobody wants and it has not noticed yet.
     *
     * @param byName whether the pool connects to a host name that can lead elsewhere
     */
    Site(int connections, boolean byName) throws IOException {
        name = byName ? new HostName(FIRST_ADDRESS) : null;
        pair = PostgresPair.start(PostgresServer.builder()
                .maxConnections(connections + SPARE_CONNECTIONS)
                .role(USER, PASSWORD));
        pair.primary().execute("CREATE TABLE writes (id BIGINT GENERATED ALWAYS AS IDENTITY)");
        pair.primary().execute("GRANT ALL ON writes TO " + USER);
        TcpProxy[] proxies = byName ? twoOfOnePort() : new TcpProxy[] {toPrimary()};
        proxy = proxies[0];
        second = byName ? proxies[1] : null;
    }

    private TcpProxy toPrimary() {
        return new TcpProxy("127.0.0.1", pair.primary().port());
    }

    /** The first port may be taken at the second address. */
    private TcpProxy[] twoOfOnePort() {
        for (int tries = 1; ; tries++) {
            TcpProxy first = toPrimary();
            try {
                return new TcpProxy[] {
                    first,
                    new TcpProxy(
                            SECOND_ADDRESS,
                            first.port(),
                            "127.0.0.1",
                            pair.standby().port())
                };
            } catch (UncheckedIOException e) {
                first.close();
                if (tries == PORTS_TO_TRY) {
                    throw e;
                }
            }
        }
    }

    PostgresPair pair() {
        return pair;
    }

    TcpProxy proxy() {
        return proxy;
    }

    /** The name leads to the server that was the standby; both servers can be reached, each at its address. */
    void switchName() throws IOException {
        Objects.requireNonNull(name).leadTo(SECOND_ADDRESS);
    }

    PoolSpec spec() {
        String url = "jdbc:postgresql://" + (name == null ? FIRST_ADDRESS : HostName.NAME) + ":" + proxy.port()
                + "/postgres";
        return PoolSpec.of(url, USER, PASSWORD);
    }

    /** How many connections lead to the server that was the primary. */
    int onOld() {
        return proxy.openTo(pair.primary().port());
    }

    /** How many rows the server that was the primary has. */
    long rowsOfOld() {
        return pair.primary().number("SELECT count(*) FROM writes");
    }

    /** Ends the network and the servers. */
    @Override
    public void close() throws IOException {
        try {
            proxy.close();
            if (second != null) {
                second.close();
            }
            pair.close();
        } finally {
            if (name != null) {
                name.close();
            }
        }
    }
}

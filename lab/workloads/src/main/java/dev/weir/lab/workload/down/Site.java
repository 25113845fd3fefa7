package dev.weir.lab.workload.down;

import dev.weir.lab.contender.PoolSpec;
import dev.weir.testkit.TcpProxy;
import dev.weir.testkit.servers.PostgresServer;

/** A PostgreSQL of one's own, and the network in front of it. The pools' driver has its own defaults: no socket timeout. */
final class Site implements AutoCloseable {
    private static final String USER = "down";
    private static final String PASSWORD = "down";
    private static final int SPARE_CONNECTIONS = 40;

    private final PostgresServer server;
    private final TcpProxy proxy;

    /** Starts the server, with room for so many connections, and for those that nobody wants and it has not noticed yet. */
    Site(int connections) {
        server = PostgresServer.builder()
                .maxConnections(connections + SPARE_CONNECTIONS)
                .role(USER, PASSWORD)
                .start();
        proxy = new TcpProxy("127.0.0.1", server.port());
    }

    PostgresServer server() {
        return server;
    }

    TcpProxy proxy() {
        return proxy;
    }

    PoolSpec spec() {
        return PoolSpec.of(server.jdbcUrl("postgres", proxy.port()), USER, PASSWORD);
    }

    /** How often a connect was begun so far. */
    int attempted() {
        return proxy.accepted();
    }

    /** Ends the network and the server. */
    @Override
    public void close() {
        proxy.close();
        server.close();
    }
}

package dev.weir.cli.demo;

import dev.weir.cli.shared.Target;
import dev.weir.testkit.servers.PostgresServer;
import java.io.UncheckedIOException;
import java.sql.Connection;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** Where the demo's connections lead: a server of its own, that ends with it, or the user's database. */
final class Database implements AutoCloseable {
    private final @Nullable PostgresServer server;
    private final Target target;

    private Database(@Nullable PostgresServer server, Target target) {
        this.server = server;
        this.target = target;
    }

    static Database open(DemoOptions options) throws DemoFailure {
        String own = options.url();
        if (own == null) {
            return embedded();
        }
        Database database = new Database(null, new Target(own, options.username(), options.password()));
        String missing = database.target.missingDriver();
        if (missing != null) {
            throw new DemoFailure(missing);
        }
        return database;
    }

    private static Database embedded() throws DemoFailure {
        try {
            PostgresServer server = PostgresServer.builder().start();
            return new Database(server, new Target(server.jdbcUrl("postgres"), "postgres", null));
        } catch (IllegalStateException | UncheckedIOException e) {
            throw new DemoFailure(
                    "The embedded PostgreSQL did not start: " + e.getMessage()
                            + "\nA database of your own can be used instead: ./weir demo --url JDBC-URL --user NAME"
                            + " --password",
                    e);
        }
    }

    boolean isEmbedded() {
        return server != null;
    }

    String url() {
        return target.url();
    }

    @Nullable
    String username() {
        return target.user();
    }

    @Nullable
    String password() {
        return target.password();
    }

    /** One physical connection, without a pool. */
    Connection connect() throws SQLException {
        return target.connect();
    }

    String shownUrl() {
        return target.shownUrl();
    }

    /** What went wrong, without secrets. */
    String explain(Throwable failure) {
        return target.explain(failure);
    }

    @Override
    public void close() {
        if (server != null) {
            server.close();
        }
    }
}

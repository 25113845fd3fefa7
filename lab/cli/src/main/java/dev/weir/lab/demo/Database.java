package dev.weir.lab.demo;

import dev.weir.testkit.PostgresServer;
import java.io.UncheckedIOException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Properties;
import org.jspecify.annotations.Nullable;

/** Where the demo's connections lead: a server of its own, that ends with it, or the user's database. */
final class Database implements AutoCloseable {
    private final @Nullable PostgresServer server;
    private final String url;
    private final @Nullable String username;
    private final @Nullable String password;

    private Database(
            @Nullable PostgresServer server, String url, @Nullable String username, @Nullable String password) {
        this.server = server;
        this.url = url;
        this.username = username;
        this.password = password;
    }

    static Database open(DemoOptions options) throws DemoFailure {
        String own = options.url();
        if (own == null) {
            return embedded();
        }
        Database database = new Database(null, own, options.username(), options.password());
        try {
            DriverManager.getDriver(own);
        } catch (SQLException e) {
            throw new DemoFailure(
                    "No JDBC driver on the class path accepts " + database.shownUrl()
                            + ". Put the driver's jar into the environment variable WEIR_CLASSPATH.",
                    e);
        }
        return database;
    }

    private static Database embedded() throws DemoFailure {
        try {
            PostgresServer server = PostgresServer.builder().start();
            return new Database(server, server.jdbcUrl("postgres"), "postgres", null);
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
        return url;
    }

    @Nullable
    String username() {
        return username;
    }

    @Nullable
    String password() {
        return password;
    }

    /** One physical connection, without a pool. */
    Connection connect() throws SQLException {
        Properties properties = new Properties();
        if (username != null) {
            properties.setProperty("user", username);
        }
        if (password != null) {
            properties.setProperty("password", password);
        }
        return DriverManager.getConnection(url, properties);
    }

    /** The URL without what may be secret in it: its parameters, and a user and password before the host. */
    String shownUrl() {
        return url.replaceFirst("[?;].*", "").replaceFirst("//[^/@]*@", "//");
    }

    /** What went wrong, down to the first cause, without the password. */
    String explain(Throwable failure) {
        StringBuilder text = new StringBuilder();
        String last = "";
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            String message = cause.getMessage() == null ? cause.getClass().getSimpleName() : cause.getMessage();
            if (!last.contains(message)) {
                text.append(text.length() == 0 ? "" : "\n  because: ").append(message);
            }
            last = message;
        }
        return withoutSecrets(text.toString());
    }

    private String withoutSecrets(String text) {
        String clean = text.replace(url, shownUrl());
        return password == null || password.isEmpty() ? clean : clean.replace(password, "***");
    }

    @Override
    public void close() {
        if (server != null) {
            server.close();
        }
    }
}

package dev.weir.lab.grid;

import dev.weir.lab.service.QuestionsDatabase;
import dev.weir.lab.service.QuestionsLoader.BadFileException;
import dev.weir.lab.workload.Settings;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.Properties;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The PostgreSQL that the service asks: one that ends with this object, or the user's own. */
final class Database implements AutoCloseable {
    private static final String SESSIONS =
            "select count(*) from pg_stat_activity where backend_type = 'client backend' and datname ="
                    + " current_database() and application_name = ?";
    private static final String MOST_SESSIONS =
            "select current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int";

    private final @Nullable QuestionsDatabase embedded;
    private final String url;
    private final @Nullable String user;
    private final @Nullable String password;

    private Database(
            @Nullable QuestionsDatabase embedded, String url, @Nullable String user, @Nullable String password) {
        this.embedded = embedded;
        this.url = url;
        this.user = user;
        this.password = password;
    }

    /**
     * Starts a server and loads it with the questions that are asked for, or takes the user's own.
     *
     * @throws IllegalArgumentException if it has too little room for the pools that are asked for
     * @throws IOException if it cannot be used, without the password in the message
     */
    static Database open(Settings settings, int pools, Consumer<String> say) throws IOException {
        String url = settings.text("url");
        String password = settings.text("password");
        try {
            Database database = url.isEmpty()
                    ? embedded(settings.text("data"), Long.parseLong(settings.text("rows")), say)
                    : own(url, settings.text("user"), password);
            try {
                database.requireRoom(settings, pools);
                return database;
            } catch (SQLException | RuntimeException e) {
                database.close();
                throw e;
            }
        } catch (BadFileException e) {
            throw new IOException("--data: " + e.getMessage(), e);
        } catch (SQLException e) {
            throw new IOException(
                    "the database cannot be used: " + settings.withoutSecrets(String.valueOf(e.getMessage())), e);
        }
    }

    private static Database embedded(String data, long rows, Consumer<String> say)
            throws BadFileException, IOException, SQLException {
        say.accept("Loading the questions, " + (data.isEmpty() ? rows + " rows" : data)
                + ", into an embedded PostgreSQL ...");
        QuestionsDatabase questions =
                data.isEmpty() ? QuestionsDatabase.generated(rows) : QuestionsDatabase.of(Path.of(data));
        return new Database(questions, questions.url(), null, null);
    }

    /**
     * Takes the user's own, which must hold the questions.
     *
     * @throws SQLException if it cannot be reached or has no table of questions
     */
    static Database own(String url, String user, String password) throws SQLException {
        Database database = new Database(null, url, user.isEmpty() ? null : user, password.isEmpty() ? null : password);
        try (Connection connection = database.connect()) {
            if (!QuestionsDatabase.isLoaded(connection)) {
                throw new SQLException("there is no table questions; ./weir serve loads it");
            }
        }
        return database;
    }

    /** Pools that take turns have their connections at the same time; one more asks how many these are. */
    private void requireRoom(Settings settings, int pools) throws SQLException {
        boolean takesTurns =
                settings.number("turns") > 1 && settings.words("rate").contains("0");
        int side = takesTurns ? pools : 1;
        int largest = Arrays.stream(settings.numbers("sizes")).max().orElseThrow();
        int most = mostSessions() - 1;
        if (side * largest > most) {
            throw new IllegalArgumentException("--sizes: "
                    + (side == 1 ? "" : side + " pools of ")
                    + largest
                    + " connections at a time (expected: "
                    + most
                    + " connections at most, one less than the database allows"
                    + (side == 1 ? ")" : "; with --turns 1 the pools come one after the other)"));
        }
    }

    /** The URL for the server of this pool, whose sessions it names. */
    String url(String pool) {
        return url + (url.indexOf('?') < 0 ? "?" : "&") + "ApplicationName="
                + URLEncoder.encode(applicationName(pool), StandardCharsets.UTF_8);
    }

    private static String applicationName(String pool) {
        return "weir-grid-" + pool;
    }

    @Nullable
    String user() {
        return user;
    }

    @Nullable
    String password() {
        return password;
    }

    /** Returns how many sessions the server of this pool has. */
    int sessions(String pool) throws SQLException {
        try (Connection connection = connect();
                PreparedStatement statement = connection.prepareStatement(SESSIONS)) {
            statement.setString(1, applicationName(pool));
            return number(statement.executeQuery());
        }
    }

    private int mostSessions() throws SQLException {
        try (Connection connection = connect();
                PreparedStatement statement = connection.prepareStatement(MOST_SESSIONS)) {
            return number(statement.executeQuery());
        }
    }

    private static int number(ResultSet result) throws SQLException {
        result.next();
        return result.getInt(1);
    }

    private Connection connect() throws SQLException {
        Properties properties = new Properties();
        if (user != null) {
            properties.setProperty("user", user);
        }
        if (password != null) {
            properties.setProperty("password", password);
        }
        return DriverManager.getConnection(url, properties);
    }

    @Override
    public void close() {
        if (embedded != null) {
            embedded.close();
        }
    }
}

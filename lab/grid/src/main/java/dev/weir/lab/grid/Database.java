package dev.weir.lab.grid;

import dev.weir.lab.service.QuestionsDatabase;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Properties;
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

    /** Starts a server with so many generated questions. */
    static Database generated(long rows) throws IOException, SQLException {
        QuestionsDatabase questions = QuestionsDatabase.generated(rows);
        return new Database(questions, questions.url(), null, null);
    }

    /** Starts a server with the questions of a file. */
    static Database of(Path data) throws IOException, SQLException {
        try {
            QuestionsDatabase questions = QuestionsDatabase.of(data);
            return new Database(questions, questions.url(), null, null);
        } catch (dev.weir.lab.service.QuestionsLoader.BadFileException e) {
            throw new IOException("--data: " + e.getMessage(), e);
        }
    }

    /**
     * Takes the user's own, which must hold the questions.
     *
     * @throws SQLException if it cannot be reached or has no table of questions
     */
    static Database own(String url, @Nullable String user, @Nullable String password) throws SQLException {
        Database database = new Database(null, url, user, password);
        try (Connection connection = database.connect()) {
            if (!QuestionsDatabase.isLoaded(connection)) {
                throw new SQLException("there is no table questions; ./weir serve loads it");
            }
        }
        return database;
    }

    /** The URL for the server of this pool, whose sessions it names. */
    String url(String pool) {
        return url + (url.indexOf('?') < 0 ? "?" : "&") + "ApplicationName=" + applicationName(pool);
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

    /** Returns how many sessions it allows. */
    int mostSessions() throws SQLException {
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

    /** The URL without what may be secret in it. */
    static String shown(String url) {
        return url.replaceFirst("[?;].*", "").replaceFirst("//[^/@]*@", "//");
    }

    @Override
    public void close() {
        if (embedded != null) {
            embedded.close();
        }
    }
}

package dev.weir.lab.grid;

import dev.weir.lab.service.QuestionsDatabase;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Properties;
import org.jspecify.annotations.Nullable;

/** The PostgreSQL that the service asks: one that ends with this object, or the user's own. */
final class Database implements AutoCloseable {
    private static final String SESSIONS =
            "select count(*) from pg_stat_activity where backend_type = 'client backend' and datname ="
                    + " current_database() and pid <> pg_backend_pid()";

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

    String url() {
        return url;
    }

    @Nullable
    String user() {
        return user;
    }

    @Nullable
    String password() {
        return password;
    }

    /** Returns how many sessions of others the database has. */
    int sessions() throws SQLException {
        try (Connection connection = connect();
                Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery(SESSIONS)) {
            result.next();
            return result.getInt(1);
        }
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

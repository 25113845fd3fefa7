package dev.weir.lab.service;

import java.io.BufferedInputStream;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.GZIPInputStream;
import java.util.zip.ZipException;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.postgresql.util.PSQLException;
import org.postgresql.util.ServerErrorMessage;

/**
 * Makes the table of questions and fills it from a CSV file with a header, plain or compressed with gzip. All of it is one
 * transaction: the table is there with every row and its index, or not at all.
 */
public final class QuestionsLoader {
    private static final List<String> COLUMNS =
            List.of("id", "creationdate", "closeddate", "deletiondate", "score", "owneruserid", "answercount");
    private static final int LONGEST_HEADER = 4096;
    private static final Pattern LINE = Pattern.compile("line (\\d+)");

    private QuestionsLoader() {}

    /** The user of the examples. */
    public static final int KNOWN_USER = 87;

    /** How many questions the user of the examples has among the generated ones, or fewer where there are too few rows. */
    public static final int KNOWN_QUESTIONS = 20;

    /** A few owners have very many questions and very many owners have few, as in the public StackLite file; always the same rows. */
    private static final String GENERATED = """
            INSERT INTO questions
            SELECT 2 * n, asked, CASE WHEN random() < 0.1 THEN asked + random() * interval '1 year' END,
                CASE WHEN random() < 0.25 THEN asked + random() * interval '1 year' END,
                floor(5 * random())::int - 1 + floor(40 * power(random(), 6))::int,
                CASE WHEN n %% every = 1 %% every AND n <= known * every THEN %1$d
                    WHEN random() < 0.05 THEN NULL ELSE owner + (owner = %1$d)::int END,
                CASE WHEN random() < 0.75 THEN floor(6 * random() * random())::int END
            FROM (SELECT n, timestamptz '2008-07-31 21:26:37Z' + n * interval '30 seconds' AS asked, %2$d AS known,
                    greatest(1, %3$d / %2$d) AS every, 1 + floor(greatest(174, %3$d / 5) * power(random(), 2))::int AS owner
                FROM generate_series(1, %3$d) n) rows""";

    /** Why a file was not loaded: which line of which file, and what is wrong with it. */
    public static final class BadFileException extends IOException {
        private static final long serialVersionUID = 1;

        BadFileException(String message, @Nullable Throwable cause) {
            super(message, cause);
        }
    }

    /**
     * Loads the file, and returns how many rows it has.
     *
     * @param connection to PostgreSQL; it is left with the autoCommit that it had
     * @throws BadFileException if anything is wrong with a row or the header, with the line's number in the message, or the
     *     compressed file is damaged
     * @throws IOException if the file cannot be read
     * @throws SQLException if the database refuses for another reason, such as that the table exists
     */
    public static long load(Connection connection, Path file) throws IOException, SQLException {
        String name = file.toString();
        try (InputStream in = open(file)) {
            byte[] header = firstLine(in, name);
            List<String> columns = columns(header, name);
            return load(
                    connection,
                    () -> copy(
                            connection, columns, new SequenceInputStream(new ByteArrayInputStream(header), in), name));
        } catch (EOFException | ZipException e) {
            throw new BadFileException(name + ": the compressed file is damaged: " + e.getMessage(), e);
        }
    }

    /** Makes so many rows, as {@link #load} loads those of a file. */
    public static long generate(Connection connection, long rows) throws IOException, SQLException {
        return load(connection, () -> {
            try (Statement statement = connection.createStatement()) {
                statement.execute("SELECT setseed(0.87)");
                return statement.executeLargeUpdate(GENERATED.formatted(KNOWN_USER, KNOWN_QUESTIONS, rows));
            }
        });
    }

    /** Ends a load that is under way, from another thread; it fails, and nothing of it stays. */
    public static void cancel(Connection connection) {
        try {
            connection.unwrap(PGConnection.class).cancelQuery();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Fills the table, and returns how many rows that are. */
    private interface Rows {
        long fill() throws IOException, SQLException;
    }

    private static long load(Connection connection, Rows rows) throws IOException, SQLException {
        boolean autoCommit = connection.getAutoCommit();
        connection.setAutoCommit(false);
        try (Statement statement = connection.createStatement()) {
            statement.execute("""
                    CREATE TABLE questions(id serial PRIMARY KEY, creationDate timestamptz, closedDate timestamptz,
                        deletionDate timestamptz, score int, ownerUserId int, answerCount int)""");
            long count = rows.fill();
            statement.execute("CREATE INDEX questions_owner ON questions(ownerUserId)");
            statement.execute(
                    "SELECT setval('questions_id_seq', (SELECT coalesce(max(id), 0) + 1 FROM questions), false)");
            statement.execute("ANALYZE questions");
            connection.commit();
            return count;
        } finally {
            // One that broke, or was aborted, is rolled back by the server, and its failure is the one to tell.
            if (!connection.isClosed()) {
                connection.rollback();
                connection.setAutoCommit(autoCommit);
            }
        }
    }

    private static InputStream open(Path file) throws IOException {
        InputStream raw = new BufferedInputStream(Files.newInputStream(file), 1 << 16);
        try {
            raw.mark(2);
            boolean isCompressed = raw.read() == 0x1f && raw.read() == 0x8b;
            raw.reset();
            return isCompressed ? new BufferedInputStream(new GZIPInputStream(raw, 1 << 16), 1 << 16) : raw;
        } catch (IOException e) {
            raw.close();
            throw e;
        }
    }

    private static byte[] firstLine(InputStream in, String name) throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        for (int next = in.read(); next >= 0; next = in.read()) {
            line.write(next);
            if (next == '\n') {
                return line.toByteArray();
            }
            if (line.size() > LONGEST_HEADER) {
                throw new BadFileException(
                        name + ", line 1: no end of line in its first bytes; is it a CSV file?", null);
            }
        }
        return line.toByteArray();
    }

    /** The columns in the order of the file; none may be missing, none unknown. */
    private static List<String> columns(byte[] header, String name) throws BadFileException {
        List<String> found = new ArrayList<>();
        for (String column : new String(header, StandardCharsets.UTF_8).strip().split(",", -1)) {
            found.add(column.replace("\"", "").strip().toLowerCase(Locale.ROOT));
        }
        if (found.size() != COLUMNS.size() || !found.containsAll(COLUMNS)) {
            throw new BadFileException(
                    name + ", line 1: columns " + String.join(",", found) + " (expected: " + String.join(",", COLUMNS)
                            + ", in any order)",
                    null);
        }
        return found;
    }

    private static long copy(Connection connection, List<String> columns, InputStream rows, String name)
            throws IOException, SQLException {
        String sql = "COPY questions (" + String.join(", ", columns)
                + ") FROM STDIN WITH (FORMAT csv, HEADER, NULL 'NA', ENCODING 'UTF8')";
        try {
            return connection.unwrap(PGConnection.class).getCopyAPI().copyIn(sql, rows, 1 << 16);
        } catch (PSQLException e) {
            throw explained(e, name);
        }
    }

    /** The server says what is wrong, and, in the context of its message, where. */
    private static BadFileException explained(PSQLException failure, String name) throws SQLException {
        ServerErrorMessage said = failure.getServerErrorMessage();
        String where = said == null ? null : said.getWhere();
        Matcher line = LINE.matcher(where == null ? "" : where);
        if (said == null || where == null || !line.find()) {
            throw failure;
        }
        String detail = said.getDetail();
        return new BadFileException(
                name + ", line " + line.group(1) + ": " + said.getMessage()
                        + (detail == null ? "" : " (" + detail + ")") + ", in " + where,
                failure);
    }
}

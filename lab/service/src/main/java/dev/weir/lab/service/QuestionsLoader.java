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
import java.sql.SQLFeatureNotSupportedException;
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

    /** Why a file was not loaded: which line of which file, and what is wrong with it. */
    public static final class BadFileException extends Exception {
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
    public static long load(Connection connection, Path file) throws BadFileException, IOException, SQLException {
        return load(connection, () -> open(file), file.toString());
    }

    /** Loads so many generated rows, as {@link #load} does those of a file; there is no file. */
    public static long generate(Connection connection, long rows) throws IOException, SQLException {
        try {
            return load(connection, () -> QuestionsGenerator.open(rows), "the generated questions");
        } catch (BadFileException e) {
            throw new IllegalStateException("the generated questions are refused", e);
        }
    }

    /** Where rows come from. */
    private interface Source {
        InputStream open() throws IOException;
    }

    private static long load(Connection connection, Source source, String name)
            throws BadFileException, IOException, SQLException {
        if (!connection.isWrapperFor(PGConnection.class)) {
            throw new SQLFeatureNotSupportedException(
                    "questions are loaded with COPY, which is PostgreSQL's; this is "
                            + connection.getMetaData().getDatabaseProductName(),
                    "0A000");
        }
        boolean autoCommit = connection.getAutoCommit();
        connection.setAutoCommit(false);
        try (InputStream in = source.open()) {
            byte[] header = firstLine(in, name);
            long rows = fill(connection, columns(header, name), new ByteArrayInputStream(header), in, name);
            connection.commit();
            return rows;
        } catch (EOFException | ZipException e) {
            throw new BadFileException(name + ": the compressed file is damaged: " + e.getMessage(), e);
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

    private static byte[] firstLine(InputStream in, String name) throws IOException, BadFileException {
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

    private static long fill(
            Connection connection, List<String> columns, InputStream header, InputStream rest, String name)
            throws BadFileException, IOException, SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("""
                    CREATE TABLE questions(id serial PRIMARY KEY, creationDate timestamptz, closedDate timestamptz,
                        deletionDate timestamptz, score int, ownerUserId int, answerCount int)""");
            long rows = copy(connection, columns, new SequenceInputStream(header, rest), name);
            statement.execute("CREATE INDEX questions_owner ON questions(ownerUserId)");
            statement.execute(
                    "SELECT setval('questions_id_seq', (SELECT coalesce(max(id), 0) + 1 FROM questions), false)");
            statement.execute("ANALYZE questions");
            return rows;
        }
    }

    private static long copy(Connection connection, List<String> columns, InputStream rows, String name)
            throws BadFileException, IOException, SQLException {
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

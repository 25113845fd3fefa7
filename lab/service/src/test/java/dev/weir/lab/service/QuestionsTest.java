package dev.weir.lab.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.lab.service.QuestionsLoader.BadFileException;
import dev.weir.testkit.servers.PostgresServer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.List;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The file of questions: generated, loaded, refused. */
class QuestionsTest {
    private static final String HEADER = "Id,CreationDate,ClosedDate,DeletionDate,Score,OwnerUserId,AnswerCount";
    private static final String ROW = "1,2008-07-31T21:26:37Z,NA,2011-03-28T00:53:47Z,-1,NA,0";
    private static PostgresServer server;

    @TempDir
    Path folder;

    @BeforeAll
    static void start() {
        server = PostgresServer.launch();
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @BeforeEach
    void dropTable() {
        server.execute("DROP TABLE IF EXISTS questions");
    }

    private Path file(String... lines) throws IOException {
        return Files.write(folder.resolve("questions.csv"), List.of(lines));
    }

    private long load(Path file) throws Exception {
        try (Connection connection = server.connect()) {
            return QuestionsLoader.load(connection, file);
        }
    }

    private boolean isLoaded() throws SQLException {
        try (Connection connection = server.connect()) {
            return QuestionsDatabase.isLoaded(connection);
        }
    }

    private static long generate(long rows) throws Exception {
        try (Connection connection = server.connect()) {
            return QuestionsLoader.generate(connection, rows);
        }
    }

    @Test
    void generatedRowsHaveTheHabitsOfTheRealOnesAndAreAlwaysTheSame() throws Exception {
        assertThat(generate(20_000)).isEqualTo(20_000);
        long sum = number("sum(hashtext(questions::text))");
        dropTable();
        generate(20_000);
        assertThat(number("sum(hashtext(questions::text))")).isEqualTo(sum);
        assertThat(number("count(*) FILTER (WHERE ownerUserId = 87)")).isEqualTo(20);
        assertThat(number("count(*) FILTER (WHERE ownerUserId IS NULL)")).isBetween(800L, 1_200L);
        assertThat(number("count(*) FILTER (WHERE closedDate IS NULL)")).isBetween(17_600L, 18_400L);
        assertThat(number("count(*) FILTER (WHERE creationDate IS NULL OR score IS NULL)"))
                .isZero();
        long owners = number("count(DISTINCT ownerUserId)");
        assertThat(owners).isBetween(2_500L, 4_000L);
        long most = server.number("SELECT max(n) FROM (SELECT count(*) n FROM questions GROUP BY ownerUserId"
                + " HAVING ownerUserId IS NOT NULL) AS owners");
        assertThat(most).as("skewed: the mean is 5").isGreaterThan(100);
        assertThat(number("max(score)")).isGreaterThan(20);
        assertThat(number("min(score)")).isNegative();
        assertThat(server.number("SELECT count(*) FROM pg_indexes WHERE indexname = 'questions_owner'"))
                .isEqualTo(1);
        server.execute("INSERT INTO questions(score) VALUES (1)");
    }

    private static long number(String what) {
        return server.number("SELECT " + what + " FROM questions");
    }

    @ParameterizedTest
    @CsvSource({"1", "7", "19", "20", "45"})
    void fewRowsAreRightToo(long rows) throws Exception {
        assertThat(generate(rows)).isEqualTo(rows);
        assertThat(number("count(*) FILTER (WHERE ownerUserId = 87)")).isEqualTo(Math.min(20, rows));
    }

    @Test
    void aFileIsLoadedWhateverTheOrderOfItsColumns() throws Exception {
        Path file = file(
                "\"OwnerUserId\",Id,CreationDate,ClosedDate,DeletionDate,Score,AnswerCount",
                "87,5,2008-07-31T23:26:37+02:00,NA,NA,-3,NA",
                "NA,9,2008-07-31,NA,2009-01-02 03:04:05,2147483647,0");
        assertThat(load(file)).isEqualTo(2);
        assertThat(number("count(*) FILTER (WHERE id = 5 AND ownerUserId = 87 AND score = -3 AND answerCount IS NULL"
                        + " AND creationDate = timestamptz '2008-07-31T21:26:37Z')"))
                .isEqualTo(1);
    }

    @Test
    void aCompressedFileIsKnownByItsContents() throws Exception {
        Path file = folder.resolve("questions.data");
        try (OutputStream out = new GZIPOutputStream(Files.newOutputStream(file))) {
            out.write((HEADER + "\n" + ROW + "\n").getBytes(java.nio.charset.StandardCharsets.UTF_8));
        }
        assertThat(load(file)).isEqualTo(1);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "7,2008-07-31T21:26:37Z,NA,NA,many,NA,0 | invalid input syntax for type integer: \"many\"",
                "7,2008-02-31T21:26:37Z,NA,NA,1,NA,0 | date/time field value out of range",
                "7,2008-07-31T21:26:37Z,NA,NA,1,NA | missing data for column \"answercount\"",
                "7,2008-07-31T21:26:37Z,NA,NA,1,NA,0,8 | extra data after last expected column",
                "1,2008-07-31T21:26:37Z,NA,NA,1,NA,0 | duplicate key value",
                "NA,2008-07-31T21:26:37Z,NA,NA,1,NA,0 | null value in column \"id\"",
                "7,2008-07-31T21:26:37Z,NA,NA,1,99999999999,0 | out of range for type integer",
            })
    void aBadRowIsNamedByItsLineAndNothingIsHalfLoaded(String row, String reason) throws Exception {
        Path file = file(HEADER, ROW, row);
        assertThatThrownBy(() -> load(file))
                .isInstanceOf(BadFileException.class)
                .hasMessageContaining("questions.csv, line 3: ")
                .hasMessageContaining(reason);
        assertThat(isLoaded()).isFalse();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "Id,CreationDate,Score | line 1: columns id,creationdate,score (expected: id,creationdate",
                "'' | line 1: columns",
                "Id,CreationDate,ClosedDate,DeletionDate,Score,OwnerUserId,Answers | line 1: columns",
                "Id,Id,ClosedDate,DeletionDate,Score,OwnerUserId,AnswerCount | line 1: columns",
            })
    void aBadHeaderIsNamed(String header, String reason) throws Exception {
        Path file = file(header, ROW);
        assertThatThrownBy(() -> load(file))
                .isInstanceOf(BadFileException.class)
                .hasMessageContaining(reason);
        assertThat(isLoaded()).isFalse();
    }

    @Test
    void aFileThatIsNoneOrIsCutOffIsNotHalfLoaded() throws Exception {
        Path binary = Files.write(folder.resolve("binary"), new byte[10_000]);
        assertThatThrownBy(() -> load(binary)).hasMessageContaining("is it a CSV file?");

        ByteArrayOutputStream whole = new ByteArrayOutputStream();
        try (OutputStream out = new GZIPOutputStream(whole)) {
            out.write((HEADER + "\n" + ROW + "\n").getBytes(java.nio.charset.StandardCharsets.UTF_8));
        }
        byte[] bytes = whole.toByteArray();
        Path cut = Files.write(folder.resolve("cut.csv.gz"), Arrays.copyOf(bytes, bytes.length / 2));
        assertThatThrownBy(() -> load(cut))
                .isInstanceOf(BadFileException.class)
                .hasMessageContaining("cut.csv.gz: the compressed file is damaged");
        assertThatThrownBy(() -> load(folder.resolve("none"))).isInstanceOf(IOException.class);
        assertThat(isLoaded()).isFalse();
        assertThat(server.backends()).isZero();
    }

    @Test
    void aQuoteThatIsNotClosedIsFoundAtTheEnd() throws Exception {
        Path file = file(HEADER, ROW, "7,\"2008-07-31T21:26:37Z,NA,NA,1,NA,0");
        assertThatThrownBy(() -> load(file))
                .isInstanceOf(BadFileException.class)
                .hasMessageContaining("questions.csv, line 4: unterminated CSV quoted field");
        assertThat(isLoaded()).isFalse();
    }

    @Test
    void aTableThatTheServiceWouldNotFindIsNone() throws Exception {
        server.execute("CREATE SCHEMA another");
        server.execute("CREATE TABLE another.questions(id int)");
        assertThat(isLoaded()).isFalse();
        load(file(HEADER, ROW));
        assertThat(isLoaded()).isTrue();
    }

    @Test
    void aTableThatExistsIsLeftAlone() throws Exception {
        load(file(HEADER, ROW));
        Path other = file(HEADER, ROW, ROW.replaceFirst("1", "2"));
        assertThatThrownBy(() -> load(other))
                .isInstanceOf(SQLException.class)
                .hasMessageContaining("\"questions\" already exists");
        assertThat(number("count(*)")).isEqualTo(1);
    }
}

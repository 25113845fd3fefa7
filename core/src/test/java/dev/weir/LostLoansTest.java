package dev.weir;

import static dev.weir.PostgresShared.execute;
import static dev.weir.PostgresShared.text;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.testkit.Await;
import dev.weir.testkit.servers.ThreadsLeft;
import java.io.ByteArrayInputStream;
import java.sql.Blob;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.h2.jdbc.JdbcConnection;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A loan that no thread can end any more comes home; one that anybody can still use does not. */
class LostLoansTest {
    private static final Duration LIMIT = Duration.ofSeconds(20);

    private final ThreadsLeft threads = ThreadsLeft.sinceNow();
    private final LogCapture log = new LogCapture();

    @AfterEach
    void noThreadIsLeft() {
        log.close();
        threads.none("weir-", LIMIT);
    }

    /** Something of a loan that a user keeps, and nothing else of it. */
    private interface Kept {
        Object of(Connection connection) throws Exception;
    }

    private static WeirDataSource pool(int size, Duration threshold) {
        return new WeirDataSource(PoolConfig.builder()
                .url("jdbc:h2:mem:lost" + System.nanoTime() + ";DB_CLOSE_DELAY=-1")
                .poolName("lost")
                .minimumPoolSize(0)
                .maximumPoolSize(size)
                .connectionTimeout(LIMIT)
                .closeTimeout(Duration.ofMillis(50))
                .leakDetectionThreshold(threshold)
                .registerMbeans(false)
                .build());
    }

    private static Map<String, Kept> kinds() {
        Map<String, Kept> kinds = new LinkedHashMap<>();
        kinds.put("connection", c -> c);
        kinds.put("statement", Connection::createStatement);
        kinds.put("prepared statement", c -> c.prepareStatement("SELECT 1"));
        kinds.put("callable statement", c -> c.prepareCall("CALL 1"));
        kinds.put("result", LostLoansTest::rows);
        kinds.put("metadata of a result", c -> rows(c).getMetaData());
        kinds.put("metadata of parameters", c -> c.prepareStatement("SELECT ?").getParameterMetaData());
        kinds.put("metadata", Connection::getMetaData);
        kinds.put("result of the metadata", c -> c.getMetaData().getTables(null, null, "%", null));
        kinds.put("blob", Connection::createBlob);
        kinds.put("clob", Connection::createClob);
        kinds.put("array", c -> c.createArrayOf("INTEGER", new Object[] {1}));
        kinds.put(
                "rows of an array",
                c -> c.createArrayOf("INTEGER", new Object[] {1}).getResultSet());
        kinds.put("XML", Connection::createSQLXML);
        kinds.put("stream into a blob", c -> c.createBlob().setBinaryStream(1));
        kinds.put("stream out of a blob", c -> {
            Blob blob = c.createBlob();
            blob.setBytes(1, new byte[] {1});
            return blob.getBinaryStream();
        });
        kinds.put("stream of a result", c -> rows(c).getBinaryStream(2));
        kinds.put("reader of a result", c -> rows(c).getCharacterStream(1));
        return kinds;
    }

    private static ResultSet rows(Connection c) throws SQLException {
        var statement = c.prepareStatement("SELECT 'text', CAST(? AS BLOB)");
        statement.setBinaryStream(1, new ByteArrayInputStream(new byte[] {1, 2}));
        ResultSet rows = statement.executeQuery();
        rows.next();
        return rows;
    }

    private static long reclaimed(WeirDataSource pool) {
        return pool.stats().retired().getOrDefault(RetireReason.RECLAIMED, 0L);
    }

    private static void awaitReclaimed(WeirDataSource pool, long count) {
        Await.await(() -> count + " reclaimed: " + pool.dump(), LIMIT, () -> {
            System.gc();
            return reclaimed(pool) >= count;
        });
        assertThat(reclaimed(pool)).isEqualTo(count);
    }

    private void awaitWarning() {
        Await.await("it is logged", LIMIT, () -> !log.warnings().isEmpty());
    }

    private static void forget(WeirDataSource pool) throws SQLException {
        Connection forgotten = pool.getConnection();
        execute(forgotten, "SELECT 1");
    }

    @Test
    void aLoanIsTakenBackWhenNothingOfItCanBeReachedAndNotBefore() throws Exception {
        Map<String, Kept> kinds = kinds();
        try (WeirDataSource pool = pool(kinds.size() + 1, Duration.ofHours(1))) {
            List<Object> kept = new ArrayList<>();
            for (Map.Entry<String, Kept> kind : kinds.entrySet()) {
                kept.add(kind.getValue().of(pool.getConnection()));
            }
            for (int again = 1; again <= 2; again++) {
                forget(pool); // shows that the collector ran, and the pool looked
                awaitReclaimed(pool, again);
                assertThat(pool.stats().inUse()).isEqualTo(kinds.size());
            }
            assertThat(kept).hasSize(kinds.size());
            kept.clear();
            awaitReclaimed(pool, kinds.size() + 2);
            assertThat(pool.stats().inUse()).isZero();
        }
    }

    @Test
    void whoHoldsTheDriversOwnConnectionKeepsIt() throws Exception {
        try (WeirDataSource pool = pool(2, Duration.ofHours(1))) {
            JdbcConnection unwrapped = unwraps(pool);
            forget(pool);
            awaitReclaimed(pool, 1);
            forget(pool);
            awaitReclaimed(pool, 2);
            assertThat(unwrapped.isClosed()).isFalse();
            assertThat(pool.stats().inUse()).isEqualTo(1);
        }
    }

    private static JdbcConnection unwraps(WeirDataSource pool) throws SQLException {
        return pool.getConnection().unwrap(JdbcConnection.class);
    }

    @Test
    void whatItDidIsRolledBackAndTheNextUserIsServed() throws Exception {
        try (WeirDataSource pool = pool(1, Duration.ofHours(1))) {
            try (Connection c = pool.getConnection()) {
                execute(c, "CREATE TABLE work (id INT)");
            }
            writesAndForgets(pool);
            awaitReclaimed(pool, 1);
            try (Connection c = pool.getConnection()) {
                assertThat(text(c, "SELECT count(*) FROM work")).isEqualTo("0");
            }
            awaitWarning();
            assertThat(log.warnings())
                    .singleElement()
                    .satisfies(message -> assertThat(message)
                            .contains(
                                    "pool 'lost': reclaimed connection 1",
                                    "held for",
                                    "no thread could reach its handle")
                            .containsPattern("acquired at\\s+at dev.weir.LostLoansTest.writesAndForgets"));
        }
    }

    private static void writesAndForgets(WeirDataSource pool) throws SQLException {
        Connection c = pool.getConnection();
        c.setAutoCommit(false);
        execute(c, "INSERT INTO work VALUES (1)");
    }

    @Test
    void whatIsClosedInOrderIsNeverReclaimed() throws Exception {
        try (WeirDataSource pool = pool(3, Duration.ofHours(1))) {
            for (int i = 0; i < 100; i++) {
                pool.getConnection().close();
            }
            forget(pool);
            awaitReclaimed(pool, 1);
            awaitWarning(); // logged last
            assertThat(log.warnings()).hasSize(1);
        }
    }

    @Test
    void withoutTheSettingNothingIsTracedNorTakenBack() throws Exception {
        try (WeirDataSource pool = pool(2, Duration.ZERO);
                WeirDataSource traced = pool(1, Duration.ofHours(1))) {
            forget(pool);
            assertThat(pool.held().get(0).acquiredAt()).hasSizeLessThanOrEqualTo(3); // a sample
            forget(traced);
            awaitReclaimed(traced, 1);
            assertThat(pool.stats().inUse()).isEqualTo(1);
            pool.setLeakDetectionThreshold(Duration.ofHours(1));
            forget(pool);
            awaitReclaimed(pool, 1);
            assertThat(pool.stats().inUse()).isEqualTo(1);
        }
    }

    @Test
    void theHolderAndTheDumpSayWhereItWasAcquired() throws Exception {
        try (WeirDataSource pool = pool(1, Duration.ofHours(1));
                Connection held = pool.getConnection()) {
            assertThat(held.isClosed()).isFalse();
            assertThat(pool.held().get(0).acquiredAt().get(0).getMethodName())
                    .isEqualTo("theHolderAndTheDumpSayWhereItWasAcquired");
            assertThat(pool.dump()).containsPattern("acquired at\\s+at dev.weir.LostLoansTest.theHolderAnd");
        }
    }
}

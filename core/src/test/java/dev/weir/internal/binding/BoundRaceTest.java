package dev.weir.internal.binding;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.PostgresShared;
import dev.weir.WeirDataSource;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** A text runs while another thread looks whether the connection may be given back, and finds that it may not. */
final class BoundRaceTest {
    @Test
    void aTextIsNotedWhileAnotherThreadIsAlone() throws Exception {
        try (WeirDataSource pool = PostgresShared.filled(
                        1, PostgresShared.pool().poolMode("transaction").connectionTimeout(Duration.ofSeconds(5)));
                Connection mine = pool.getConnection();
                Connection other = pool.getConnection()) {
            AbstractBinding binding = (AbstractBinding) mine;
            AtomicBoolean won = new AtomicBoolean();
            // As mayGiveBack() of another thread: isHeld() said no, then this thread made a statement, then the other
            // is alone.
            try (Statement statement = mine.createStatement()) {
                Bound bound = binding.enter();
                bound.leave();
                Thread another = new Thread(() -> won.set(bound.isAlone()));
                another.start();
                another.join();
                assertThat(won.get()).isTrue();
                statement.execute("SET app.tenant = 'seven'");
                assertThat(bound.isHeld()).isTrue();
                bound.goesOn(0);
            }
            assertThat(PostgresShared.text(other, "SELECT current_setting('app.tenant', true)"))
                    .as("of another user")
                    .isNullOrEmpty();
        }
    }
}

package dev.weir.soak;

import dev.weir.PoolConfig;
import dev.weir.RetireReason;
import dev.weir.spi.Credentials;
import dev.weir.spi.FailureClass;
import dev.weir.spi.PoolListener;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/** All that a user may hang into a pool and its log, each of which throws now and then. */
final class Callbacks implements PoolListener, AutoCloseable {
    private static final Logger LOGGER = Logger.getLogger("dev.weir");

    private final History history;
    private final Faults faults;

    /** Of the provider of credentials alone, without which nothing is opened. */
    private final Faults login;

    private final AtomicLong logged = new AtomicLong();
    private final boolean toParent = LOGGER.getUseParentHandlers();
    private final @Nullable Level level = LOGGER.getLevel();

    private final Handler handler = new Handler() {
        @Override
        public void publish(LogRecord record) {
            logged.incrementAndGet();
            if (record.getLevel().intValue() >= Level.SEVERE.intValue()) {
                history.note(record.getMessage() + ": " + record.getThrown());
            }
            faults.maybe("log handler");
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    };

    Callbacks(History history, Faults faults, Faults login) {
        this.history = history;
        this.faults = faults;
        this.login = login;
        LOGGER.setUseParentHandlers(false);
        LOGGER.addHandler(handler);
    }

    PoolConfig.Builder into(PoolConfig.Builder settings, Level least, String user, String password) {
        LOGGER.setLevel(least);
        return settings.addListener(this)
                .failureClassifier(this::classify)
                .threadFactory(this::thread)
                .credentialsProvider(() -> credentials(user, password));
    }

    private @Nullable FailureClass classify(SQLException failure) {
        faults.maybe("classifier");
        return null;
    }

    private @Nullable Thread thread(Runnable job) {
        if (faults.strikes()) {
            if (faults.coin()) {
                return null;
            }
            faults.throwUnchecked("thread factory");
        }
        return new Thread(job);
    }

    private Credentials credentials(String user, String password) throws Exception {
        if (login.strikes()) {
            if (login.coin()) {
                throw new Exception("soak: no credentials");
            }
            login.throwAny("credentials");
        }
        return new Credentials(user, password);
    }

    @Override
    public void acquired(long waitedNanos) {
        faults.maybe("acquired");
    }

    @Override
    public void leaked(long heldNanos) {
        faults.maybe("leaked");
    }

    @Override
    public void acquireTimedOut(long waitedNanos) {
        faults.maybe("acquireTimedOut");
    }

    @Override
    public void used(long usedNanos) {
        faults.maybe("used");
    }

    @Override
    public void opened(long tookNanos) {
        faults.maybe("opened");
    }

    @Override
    public void openFailed(long tookNanos, FailureClass kind) {
        faults.maybe("openFailed");
    }

    @Override
    public void retired(RetireReason reason, long ageNanos) {
        faults.maybe("retired");
    }

    @Override
    public void closed() {
        faults.maybe("closed");
    }

    long logged() {
        return logged.get();
    }

    @Override
    public void close() {
        LOGGER.removeHandler(handler);
        LOGGER.setUseParentHandlers(toParent);
        LOGGER.setLevel(level);
    }
}

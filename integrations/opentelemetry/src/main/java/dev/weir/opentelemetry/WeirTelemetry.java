package dev.weir.opentelemetry;

import dev.weir.WeirDataSource;
import dev.weir.spi.PoolListener;
import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.metrics.Meter;
import java.util.ArrayList;
import java.util.List;

/**
 * Publishes one pool through OpenTelemetry, from {@link Builder#install} until {@link #close} or the close of the pool: the connection pool
 * instruments of the semantic conventions for database client metrics, each with the attribute {@code
 * db.client.connection.pool.name}, and, if asked for, a span for each acquire that had to wait. What each instrument counts
 * is in {@code docs/reference/metrics.md}. Thread-safe.
 *
 * <pre>{@code
 * WeirTelemetry telemetry = WeirTelemetry.builder(openTelemetry).install(pool);
 * }</pre>
 */
public final class WeirTelemetry implements AutoCloseable {
    /** The name of the instrumentation scope. */
    static final String SCOPE = "dev.weir";

    private final WeirDataSource pool;
    private final List<PoolListener> listeners;
    private final PoolInstruments instruments;

    private WeirTelemetry(WeirDataSource pool, PoolInstruments instruments, List<PoolListener> listeners) {
        this.pool = pool;
        this.instruments = instruments;
        this.listeners = listeners;
    }

    /** Returns what is to be configured, with this as the place where it all goes. */
    public static Builder builder(OpenTelemetry openTelemetry) {
        return new Builder(openTelemetry);
    }

    static Meter meter(OpenTelemetry openTelemetry) {
        return openTelemetry
                .meterBuilder(SCOPE)
                .setInstrumentationVersion(version())
                .setSchemaUrl(Conventions.SCHEMA_URL)
                .build();
    }

    /** That of the jar; classes that are in none have none. */
    private static String version() {
        String version = WeirTelemetry.class.getPackage().getImplementationVersion();
        return version == null ? "" : version;
    }

    /** Ends the observation. The pool goes on. */
    @Override
    public void close() {
        listeners.forEach(pool::removeListener);
        instruments.close();
    }

    /** What is published. Not thread-safe. */
    public static final class Builder {
        private final OpenTelemetry openTelemetry;
        private boolean spans;

        private Builder(OpenTelemetry openTelemetry) {
            this.openTelemetry = openTelemetry;
        }

        /**
         * Says whether an acquire that had to wait, or timed out, becomes a span, a child of the one current on its thread.
         * Off by default. Where no recorded span is current there is none, so that waits of background work make no traces
         * of their own.
         */
        public Builder spansForWaits(boolean value) {
            spans = value;
            return this;
        }

        /** Publishes this pool, before it is started or while it runs. */
        public WeirTelemetry install(WeirDataSource pool) {
            PoolInstruments instruments = new PoolInstruments(openTelemetry, pool);
            List<PoolListener> listeners = new ArrayList<>();
            listeners.add(instruments);
            if (spans) {
                listeners.add(new WaitSpans(
                        openTelemetry
                                .tracerBuilder(SCOPE)
                                .setInstrumentationVersion(version())
                                .setSchemaUrl(Conventions.SCHEMA_URL)
                                .build(),
                        pool.getPoolName()));
            }
            WeirTelemetry telemetry = new WeirTelemetry(pool, instruments, listeners);
            listeners.add(new PoolListener() {
                @Override
                public void closed() {
                    telemetry.close();
                }
            });
            listeners.forEach(pool::addListener);
            if (pool.isClosed()) { // it may have told so before this listened
                telemetry.close();
            }
            return telemetry;
        }
    }
}

package dev.weir.opentelemetry;

import dev.weir.spi.PoolListener;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.Tracer;
import java.time.Instant;

/**
 * Makes a span of each acquire that waited or timed out. It is made when the wait is over, on the thread that waited, whose
 * current span is its parent, and begins as much earlier as the wait took.
 */
final class WaitSpans implements PoolListener {
    private static final String NAME = "acquire connection";

    private final Tracer tracer;
    private final String poolName;

    WaitSpans(Tracer tracer, String poolName) {
        this.tracer = tracer;
        this.poolName = poolName;
    }

    @Override
    public void acquired(long waitedNanos) {
        if (waitedNanos > 0 && Span.current().isRecording()) {
            Instant end = Instant.now();
            begun(end, waitedNanos).end(end);
        }
    }

    @Override
    public void acquireTimedOut(long waitedNanos) {
        if (Span.current().isRecording()) {
            Instant end = Instant.now();
            Span span = begun(end, waitedNanos);
            span.setAttribute(Conventions.ERROR_TYPE, "timeout");
            span.setStatus(StatusCode.ERROR, "no connection within connectionTimeout");
            span.end(end);
        }
    }

    private Span begun(Instant end, long waitedNanos) {
        return tracer.spanBuilder(NAME)
                .setSpanKind(SpanKind.INTERNAL)
                .setAttribute(Conventions.POOL_NAME, poolName)
                .setStartTimestamp(end.minusNanos(waitedNanos))
                .startSpan();
    }
}

package dev.weir.internal.sources;

import dev.weir.spi.FailureClass;
import java.time.Instant;

/**
 * A connect that failed, without secrets: the failure or a copy of it, and its text.
 *
 * @param atNanos when, by the clock of the pool
 */
public record ConnectFailure(Throwable cause, String text, FailureClass kind, long atNanos, Instant at) {}

package dev.weir.internal.drivers;

import dev.weir.spi.FailureClass;
import java.time.Instant;

/**
 * What a connect that failed left behind, without secrets: the failure or a copy of it, and what it says of itself.
 *
 * @param atNanos when, by the clock of the pool
 */
public record ConnectFailure(Throwable cause, String text, FailureClass kind, long atNanos, Instant at) {}

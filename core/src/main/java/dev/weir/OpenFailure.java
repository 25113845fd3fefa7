package dev.weir;

import dev.weir.spi.FailureClass;
import java.time.Instant;

/**
 * A connect that failed.
 *
 * @param at when
 * @param kind what the failure means for the pool
 * @param message what it said, without secrets
 */
public record OpenFailure(Instant at, FailureClass kind, String message) {}

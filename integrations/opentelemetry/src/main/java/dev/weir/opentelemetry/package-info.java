/** Publishes a Weir pool through OpenTelemetry: {@link dev.weir.opentelemetry.WeirTelemetry}. */
@NullMarked
package dev.weir.opentelemetry;

import org.jspecify.annotations.NullMarked;

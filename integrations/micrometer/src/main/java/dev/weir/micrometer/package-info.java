/** Publishes a Weir pool through Micrometer: {@link dev.weir.micrometer.WeirMetrics}. */
@NullMarked
package dev.weir.micrometer;

import org.jspecify.annotations.NullMarked;

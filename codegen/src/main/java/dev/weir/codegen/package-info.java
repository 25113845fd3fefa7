/**
 * Writes sources of the pool at build time: one handle class for each JDBC interface and kind of stream, and what is the same for
 * every setting.
 * Never shipped.
 */
@NullMarked
package dev.weir.codegen;

import org.jspecify.annotations.NullMarked;

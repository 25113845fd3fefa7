/** Writes, at build time, one handle class for each JDBC interface; never shipped. */
@NullMarked
package dev.weir.handlegen;

import org.jspecify.annotations.NullMarked;

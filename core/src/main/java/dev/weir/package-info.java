/**
 * What users see of the pool: {@link dev.weir.WeirDataSource} and what it is configured by. What users may implement is in
 * {@link dev.weir.spi}; the rest is in {@code dev.weir.internal}, which the module does not export and which may change with
 * any version. The way of one request through them is in {@code docs/why/design.md}.
 */
@NullMarked
package dev.weir;

import org.jspecify.annotations.NullMarked;

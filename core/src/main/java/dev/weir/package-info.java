/**
 * The pool as users see it: {@link dev.weir.WeirDataSource} and its configuration. Interfaces for users to implement are in
 * {@link dev.weir.spi}; the rest is in {@code dev.weir.internal}, which the module does not export and which may change with
 * any version. The way of one request through them is in {@code docs/why/design.md}.
 */
@NullMarked
package dev.weir;

import org.jspecify.annotations.NullMarked;

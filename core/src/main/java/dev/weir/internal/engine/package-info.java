/**
 * The pool at work: acquiring, returning, opening, testing and closing connections.
 *
 * <p>Begin with {@code Acquiring}, {@code Returning} and {@code Retirement}; {@code ConnectionPool} puts the parts together. The
 * floors in it are in {@code docs/why/design.md}. Not for users.
 */
@NullMarked
package dev.weir.internal.engine;

import org.jspecify.annotations.NullMarked;

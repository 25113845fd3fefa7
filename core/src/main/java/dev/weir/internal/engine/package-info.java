/**
 * The pool at work: acquiring, returning, opening, testing and closing connections.
 *
 * <p>Begin with {@code Acquiring}, {@code Returning} and {@code Keeper}; {@code ConnectionPool} puts the parts together. How they
 * work together is said in {@code docs/why/design.md}. Not for users.
 */
@NullMarked
package dev.weir.internal.engine;

import org.jspecify.annotations.NullMarked;

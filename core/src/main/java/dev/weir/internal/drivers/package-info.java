/**
 * The peculiarities of drivers and servers: where connections come from, what a failure means, what a session has to be set
 * back to.
 *
 * <p>Knows {@code settings}, {@code text} and {@code dev.weir.spi}. Not for users.
 */
@NullMarked
package dev.weir.internal.drivers;

import org.jspecify.annotations.NullMarked;

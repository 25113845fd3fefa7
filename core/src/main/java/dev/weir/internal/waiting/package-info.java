/**
 * Ownership of connections, the threads that wait for one, and the order of service: all memory ordering is here.
 *
 * <p>A slot carries the {@code Session} of its connection; nothing else of {@code drivers} is known here. Not for users.
 */
@NullMarked
package dev.weir.internal.waiting;

import org.jspecify.annotations.NullMarked;

/**
 * Who owns a connection, who waits for one and who is served next: all memory ordering is here.
 *
 * <p>A slot carries the {@code Session} of its connection; nothing else of {@code drivers} is known here. Not for users.
 */
@NullMarked
package dev.weir.internal.waiting;

import org.jspecify.annotations.NullMarked;

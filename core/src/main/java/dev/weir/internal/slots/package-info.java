/** Ownership of connections, the threads that wait for one, and the order of service: all memory ordering is here. A slot carries the
 * {@code Session} and the sockets of its connection. Not for users. */
@NullMarked
package dev.weir.internal.slots;

import org.jspecify.annotations.NullMarked;

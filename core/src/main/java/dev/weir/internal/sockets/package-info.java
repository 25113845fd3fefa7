/** The sockets that drivers take from the pool, so that it can look at them while their connections lie idle. Not for users. */
@NullMarked
package dev.weir.internal.sockets;

import org.jspecify.annotations.NullMarked;

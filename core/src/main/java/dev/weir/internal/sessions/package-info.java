/** The session of a connection at its server: what a loan may change, what goes back when it is returned; the meaning of a failure. Not for users. */
@NullMarked
package dev.weir.internal.sessions;

import org.jspecify.annotations.NullMarked;

/** What a connection remembers at its server, what it goes back to when it is returned, and what a failure means. Not for users. */
@NullMarked
package dev.weir.internal.sessions;

import org.jspecify.annotations.NullMarked;

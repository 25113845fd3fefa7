/** The room of the users' threads: how a connection is acquired, and how it is returned. Not for users. */
@NullMarked
package dev.weir.internal.lending;

import org.jspecify.annotations.NullMarked;

/** The room of the users' threads: how a connection is acquired, and how it comes home. Not for users. */
@NullMarked
package dev.weir.internal.lending;

import org.jspecify.annotations.NullMarked;

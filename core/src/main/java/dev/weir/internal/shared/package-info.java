/** The ground of the three rooms: what users' threads, the Keeper and workers have in common. Not for users. */
@NullMarked
package dev.weir.internal.shared;

import org.jspecify.annotations.NullMarked;

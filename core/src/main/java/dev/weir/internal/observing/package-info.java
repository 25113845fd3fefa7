/** Who hears of events: listeners and the flight recorder. Not for users. */
@NullMarked
package dev.weir.internal.observing;

import org.jspecify.annotations.NullMarked;

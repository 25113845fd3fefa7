/** The listeners and the flight recorder, which hear of events. Not for users. */
@NullMarked
package dev.weir.internal.observing;

import org.jspecify.annotations.NullMarked;

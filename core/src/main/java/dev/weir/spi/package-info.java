/** The interfaces that users implement: where credentials come from, what a failure means, what time it is, what happens in a pool. */
@NullMarked
package dev.weir.spi;

import org.jspecify.annotations.NullMarked;

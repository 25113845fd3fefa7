/** A pool, put together. Begin with {@code ConnectionPool}; how the rooms work together is said in {@code docs/why/design.md}. Not for users. */
@NullMarked
package dev.weir.internal.engine;

import org.jspecify.annotations.NullMarked;

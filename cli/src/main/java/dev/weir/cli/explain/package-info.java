/** {@code weir explain} and {@code weir record}: a flight recording as one page, with its meaning in words. */
@NullMarked
package dev.weir.cli.explain;

import org.jspecify.annotations.NullMarked;

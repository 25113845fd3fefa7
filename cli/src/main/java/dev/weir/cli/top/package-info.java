/** {@code weir top}: the pools of a running JVM in the terminal. */
@NullMarked
package dev.weir.cli.top;

import org.jspecify.annotations.NullMarked;

/** {@code weir console}: the pools of a running JVM as a page in the browser. */
@NullMarked
package dev.weir.cli.console;

import org.jspecify.annotations.NullMarked;

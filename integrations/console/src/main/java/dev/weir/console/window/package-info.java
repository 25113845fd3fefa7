/** What the pools of a running JVM show: read over JMX, counted against the look before, and told to whoever shows it. */
@NullMarked
package dev.weir.console.window;

import org.jspecify.annotations.NullMarked;

/** The command line: {@code weir demo}, {@code tune} and {@code migrate}. The laboratory adds its own commands. */
@NullMarked
package dev.weir.cli;

import org.jspecify.annotations.NullMarked;

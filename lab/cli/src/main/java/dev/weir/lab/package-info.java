/** The command line of the laboratory. */
@NullMarked
package dev.weir.lab;

import org.jspecify.annotations.NullMarked;

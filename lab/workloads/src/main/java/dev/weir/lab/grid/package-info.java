/** Pool size times server threads: the questions service under load, a fresh server for each cell. */
@NullMarked
package dev.weir.lab.grid;

import org.jspecify.annotations.NullMarked;

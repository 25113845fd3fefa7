/** {@code weir tune}: how many connections a database serves best, measured on the database itself. */
@NullMarked
package dev.weir.cli.tune;

import org.jspecify.annotations.NullMarked;

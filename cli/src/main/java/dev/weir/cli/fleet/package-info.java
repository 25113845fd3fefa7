/** {@code weir fleet}: who has how many connections, from the tables of a database. */
@NullMarked
package dev.weir.cli.fleet;

import org.jspecify.annotations.NullMarked;

/** What several commands need: the wish to stop, a database and its secrets, the version. */
@NullMarked
package dev.weir.cli.shared;

import org.jspecify.annotations.NullMarked;

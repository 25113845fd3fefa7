/** The pool in Play: {@code play.db.pool = "dev.weir.play.WeirConnectionPool"}. */
@NullMarked
package dev.weir.play;

import org.jspecify.annotations.NullMarked;

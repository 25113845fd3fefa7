/** The pool in Slick: {@code connectionPool = "dev.weir.slick.WeirJdbcDataSource"}. */
@NullMarked
package dev.weir.slick;

import org.jspecify.annotations.NullMarked;

/** The recipe of OpenRewrite that puts Weir in HikariCP's place: {@code dev.weir.rewrite.FromHikariCP}. */
@NullMarked
package dev.weir.rewrite;

import org.jspecify.annotations.NullMarked;

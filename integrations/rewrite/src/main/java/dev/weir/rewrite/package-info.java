/** Recipes of OpenRewrite that put Weir in HikariCP's place: {@code dev.weir.rewrite.FromHikariCP} is all of them. */
@NullMarked
package dev.weir.rewrite;

import org.jspecify.annotations.NullMarked;

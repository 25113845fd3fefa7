/** One small adapter for each pool that is compared. */
@NullMarked
package dev.weir.lab.contender;

import org.jspecify.annotations.NullMarked;

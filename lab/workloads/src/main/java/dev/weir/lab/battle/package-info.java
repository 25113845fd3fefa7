/** The workload {@code battle}: an application of many tiers, as companies have it, on each pool. */
@NullMarked
package dev.weir.lab.battle;

import org.jspecify.annotations.NullMarked;

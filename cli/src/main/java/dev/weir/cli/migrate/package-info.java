/** The way over from other pools: what each of their properties is in Weir, and {@code ./weir migrate}. */
@NullMarked
package dev.weir.cli.migrate;

import org.jspecify.annotations.NullMarked;

/** The pool as Micronaut's data sources, configured by {@code datasources.NAME.*}. */
@NullMarked
package dev.weir.micronaut;

import org.jspecify.annotations.NullMarked;

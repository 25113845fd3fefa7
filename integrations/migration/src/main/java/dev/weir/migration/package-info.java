/**
 * What other pools are configured with, as settings of Weir: {@link dev.weir.migration.HikariProperties} takes a whole
 * configuration of HikariCP, {@link dev.weir.migration.OtherNames} single names of other pools.
 */
@NullMarked
package dev.weir.migration;

import org.jspecify.annotations.NullMarked;

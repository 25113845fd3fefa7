/** The classic mix of JDBC calls on a driver without a database. */
@NullMarked
package dev.weir.lab.workload.mixed;

import org.jspecify.annotations.NullMarked;

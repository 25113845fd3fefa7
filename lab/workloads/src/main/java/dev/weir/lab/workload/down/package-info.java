/** The workload {@code down}: the database goes away for some seconds, and comes back. */
@NullMarked
package dev.weir.lab.workload.down;

import org.jspecify.annotations.NullMarked;

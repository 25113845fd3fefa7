/** Threads that get and give back connections without a pause. */
@NullMarked
package dev.weir.lab.workload.hammer;

import org.jspecify.annotations.NullMarked;

/** The first seconds of a pool in a JVM that has just been started, and what it is at rest. */
@NullMarked
package dev.weir.lab.workload.start;

import org.jspecify.annotations.NullMarked;

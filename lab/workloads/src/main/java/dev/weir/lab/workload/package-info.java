/** The loads that pools are compared under, and the program that runs them cell by cell. */
@NullMarked
package dev.weir.lab.workload;

import org.jspecify.annotations.NullMarked;

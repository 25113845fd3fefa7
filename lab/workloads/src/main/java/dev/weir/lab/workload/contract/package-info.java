/** The workload {@code contract}: what each pool promises, and keeps. */
@NullMarked
package dev.weir.lab.workload.contract;

import org.jspecify.annotations.NullMarked;

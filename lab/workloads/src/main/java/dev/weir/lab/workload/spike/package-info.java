/** Everything is quiet, and then everybody comes at once. */
@NullMarked
package dev.weir.lab.workload.spike;

import org.jspecify.annotations.NullMarked;

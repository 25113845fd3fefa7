/** What one cycle costs, measured by JMH. */
@NullMarked
package dev.weir.lab.workload.cycle;

import org.jspecify.annotations.NullMarked;

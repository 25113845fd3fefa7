/** What a pool makes of its connections when requests hold them for many times as long as they use them. */
@NullMarked
package dev.weir.lab.workload.held;

import org.jspecify.annotations.NullMarked;

/** The workload {@code failover}: a standby takes over from the primary, and what users see of that. */
@NullMarked
package dev.weir.lab.workload.failover;

import org.jspecify.annotations.NullMarked;

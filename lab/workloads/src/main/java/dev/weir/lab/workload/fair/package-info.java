/** How long threads wait, and how fairly they are served, when they outnumber the connections. */
@NullMarked
package dev.weir.lab.workload.fair;

import org.jspecify.annotations.NullMarked;

/** The workload {@code fleet}: many JVMs share the connections of one server. */
@NullMarked
package dev.weir.lab.workload.fleet;

import org.jspecify.annotations.NullMarked;

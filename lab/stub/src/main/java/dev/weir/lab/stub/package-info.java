/** A JDBC driver without a database: objects are allocated as a driver would, and every call leaves a trace the compiler must keep. */
@NullMarked
package dev.weir.lab.stub;

import org.jspecify.annotations.NullMarked;

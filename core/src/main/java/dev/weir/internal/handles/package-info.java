/**
 * The handles that users hold instead of the driver's objects. One class for each JDBC interface is generated, by {@code codegen}.
 * Not for users.
 */
@NullMarked
package dev.weir.internal.handles;

import org.jspecify.annotations.NullMarked;

/** The live page of a JVM's pools, for an application's own server or the command {@code weir console}. */
@NullMarked
package dev.weir.console;

import org.jspecify.annotations.NullMarked;

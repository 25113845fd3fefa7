/** The room of the Keeper's thread, which alone decides what is opened, tested, closed, aged and retired. Its fields are plain. Begin with
 * {@code Keeper}. Not for users. */
@NullMarked
package dev.weir.internal.keeping;

import org.jspecify.annotations.NullMarked;

/**
 * The room of the modes {@code lazy} and {@code transaction}: a connection for the user that has one of the database only
 * while it needs it. Above the handles of loans, which are the same in every mode. Not for users.
 */
@NullMarked
package dev.weir.internal.binding;

import org.jspecify.annotations.NullMarked;

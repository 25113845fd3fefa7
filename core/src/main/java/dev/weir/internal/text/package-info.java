/**
 * Texts that the pool writes for people, without the secrets and the literals of its users: logs, messages, SQL, failures.
 *
 * <p>Knows the JDK alone. Not for users.
 */
@NullMarked
package dev.weir.internal.text;

import org.jspecify.annotations.NullMarked;

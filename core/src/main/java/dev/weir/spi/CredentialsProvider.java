package dev.weir.spi;

import org.jspecify.annotations.Nullable;

/**
 * Says who to open a physical connection as: for passwords that rotate and tokens that expire. Asked anew for every
 * physical connect, on the thread that connects, possibly many at once. It may block, within the pool's
 * {@code connectTimeout}; connections that exist are not touched by a change.
 *
 * <p>After the database refused what it gave, it is asked again each {@code acquireRetryDelay} while users ask for
 * connections. Another answer is tried at once; the same answer at most 20 times a minute, so that an account is not locked
 * out sooner than it must.
 */
@FunctionalInterface
public interface CredentialsProvider {

    /**
     * Returns the credentials for one connect.
     *
     * @throws Exception if there are none now: the connect counts as failed (SQLState 08001, with this as its cause), and
     *     users wait for the next one, up to their {@code connectionTimeout}. A SQLException is passed on as it is; only one
     *     of class 28 counts as refused by the database
     */
    Credentials credentials() throws Exception;

    /**
     * Returns the user's name if it is always the same, or null: the name that {@code getUsername()} of the pool and JMX show. It
     * must not block, and is not asked for a connect.
     */
    default @Nullable String user() {
        return null;
    }
}

package dev.weir.spi;

import org.jspecify.annotations.Nullable;

/**
 * Says who to open a physical connection as: for passwords that rotate and tokens that expire. Asked anew for every
 * physical connect, on the thread that connects, possibly many at once. It may block, within the pool's
 * {@code connectTimeout}; connections that exist are not touched by a change.
 */
@FunctionalInterface
public interface CredentialsProvider {

    /**
     * Returns the credentials for one connect.
     *
     * @throws Exception if there are none now; the connect counts as refused by authentication (SQLState 28000, with this
     *     as its cause) unless it is a SQLException, which is passed on as it is
     */
    Credentials credentials() throws Exception;

    /**
     * Returns the user's name if it is always the same, or null: what {@code getUsername()} of the pool and JMX show. It
     * must not block, and is not asked for a connect.
     */
    default @Nullable String user() {
        return null;
    }
}

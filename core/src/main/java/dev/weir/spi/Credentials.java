package dev.weir.spi;

import org.jspecify.annotations.Nullable;

/**
 * The user that a physical connection is opened as, and the password. Its text form does not show the password.
 *
 * @param user the user's name
 * @param password the password or token, or null where the user needs none
 */
public record Credentials(String user, @Nullable String password) {

    /** Returns the user's name, and whether there is a password. */
    @Override
    public String toString() {
        return "Credentials[user=" + user + ", password=" + (password == null ? "none" : "***") + "]";
    }
}

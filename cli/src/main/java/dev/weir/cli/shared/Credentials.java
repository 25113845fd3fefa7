package dev.weir.cli.shared;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options {@code --user} and {@code --password} of a command, for its database. */
public final class Credentials {
    @Option(names = "--user", paramLabel = "NAME", description = "The user of the database.")
    private @Nullable String user;

    @Option(
            names = "--password",
            paramLabel = "PASSWORD",
            arity = "0..1",
            interactive = true,
            description = "The password; without a value it is asked for.")
    private char @Nullable [] password;

    /** Neither is given. */
    public Credentials() {}

    /** Returns the user, or null if none is given. */
    public @Nullable String user() {
        return user;
    }

    /** Returns the password, or null if none is given. */
    public @Nullable String password() {
        return password == null ? null : new String(password);
    }

    /** Whether one of them is given. */
    public boolean isGiven() {
        return user != null || password != null;
    }

    /** Returns the database at a URL, for this user. */
    public Target at(String url) {
        return new Target(url, user, password());
    }
}

package dev.weir.cli.shared;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options {@code --user} and {@code --password} of a command, for its database. */
public final class Credentials {
    /** The variable of the environment that has the password; not in the list of processes, as an option is. */
    public static final String PASSWORD = "WEIR_PASSWORD";

    @Option(names = "--user", paramLabel = "NAME", description = "The user of the database, or of the JMX agent.")
    private @Nullable String user;

    @Option(
            names = "--password",
            paramLabel = "PASSWORD",
            arity = "0..1",
            interactive = true,
            description =
                    "The password; without a value it is asked for. Without the option it is that of the environment's"
                            + " WEIR_PASSWORD, if there is one.")
    private char @Nullable [] password;

    /** Neither is given. */
    public Credentials() {}

    /** Returns the user, or null if none is given. */
    public @Nullable String user() {
        return user;
    }

    /** Returns the password, that of the environment if none is given, or null if there is none either. */
    public @Nullable String password() {
        return password == null ? System.getenv(PASSWORD) : new String(password);
    }

    /** Whether one of them is given on the command line. */
    public boolean isGiven() {
        return user != null || password != null;
    }

    /** Returns the database at a URL, for this user. */
    public Target at(String url) {
        return new Target(url, user, password());
    }
}

package dev.weir.cli.shared;

import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The option {@code --url} of a command that needs the user's database, with {@link Credentials}. */
public final class UsersDatabase {
    @Option(
            names = "--url",
            required = true,
            paramLabel = "JDBC-URL",
            description = "The database; its driver is found on WEIR_CLASSPATH (PostgreSQL's is there).")
    @SuppressWarnings("NullAway.Init")
    private String url;

    @Mixin
    private final Credentials credentials = new Credentials();

    /** Not parsed yet. */
    public UsersDatabase() {}

    /** Returns what was given. */
    public Target target() {
        return credentials.at(url);
    }
}

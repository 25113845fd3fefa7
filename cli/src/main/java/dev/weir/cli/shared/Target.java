package dev.weir.cli.shared;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Locale;
import java.util.Properties;
import org.jspecify.annotations.Nullable;

/**
 * A database that is reached by a URL, and how it is spoken of without secrets. Immutable.
 *
 * @param url of its driver
 * @param user or null
 * @param password or null
 */
public record Target(
        String url, @Nullable String user, @Nullable String password) {

    /**
     * Opens a connection, without a pool.
     *
     * @throws SQLException if the driver cannot
     */
    public Connection connect() throws SQLException {
        Properties properties = new Properties();
        if (user != null) {
            properties.setProperty("user", user);
        }
        if (password != null) {
            properties.setProperty("password", password);
        }
        return DriverManager.getConnection(url, properties);
    }

    /** Returns what to say where no driver accepts the URL, or null where one does. */
    public @Nullable String missingDriver() {
        try {
            DriverManager.getDriver(url);
            return null;
        } catch (SQLException e) {
            return "No JDBC driver on the class path accepts " + this
                    + ". Put the driver's jar into the environment variable WEIR_CLASSPATH.";
        }
    }

    /** Returns the URL without what may be secret in it: its parameters, and what stands before the host. */
    public String shownUrl() {
        return url.replaceFirst("[?;].*", "").replaceFirst("(//|:)[^/@]*(?:/[^/@]*)?@", "$1");
    }

    /** Returns what went wrong, down to the first cause, without secrets. */
    public String explain(Throwable failure) {
        StringBuilder text = new StringBuilder();
        String last = "";
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            String message = cause.getMessage() == null ? cause.getClass().getSimpleName() : cause.getMessage();
            if (!last.contains(message)) {
                text.append(text.length() == 0 ? "" : "; because: ").append(message);
            }
            last = message;
        }
        String clean = text.toString().replace(url, shownUrl());
        for (String parameter : url.split("[?;&]", -1)) {
            int equals = parameter.indexOf('=');
            boolean named = equals > 0
                    && parameter.substring(0, equals).toLowerCase(Locale.ROOT).contains("pass");
            if (named || (equals > 0 && parameter.length() - equals > 8)) { // a key or a token, whatever it is called
                clean = withoutSecret(clean, parameter.substring(equals + 1));
            }
        }
        return password == null ? clean : withoutSecret(clean, password);
    }

    private static String withoutSecret(String text, String secret) {
        return secret.isEmpty() ? text : text.replace(secret, "***");
    }

    @Override
    public String toString() {
        return shownUrl();
    }
}

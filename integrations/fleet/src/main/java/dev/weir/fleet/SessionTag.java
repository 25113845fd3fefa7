package dev.weir.fleet;

import dev.weir.WeirDataSource;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * By what the server shows whose a session is, through the driver's own property. On PostgreSQL it is the end of the
 * application name, after the user's own; a session that a user renames is one without a tag, see
 * {@link Ledger.Sessions#nameless}. On MariaDB and MySQL it is a connection attribute, which nobody can change later.
 */
enum SessionTag {
    APPLICATION_NAME("ApplicationName", "PostgreSQL JDBC Driver", "jdbc:postgresql:.*") {
        @Override
        String with(String theirs, String tag) {
            String kept = theirs;
            while (kept.getBytes(StandardCharsets.UTF_8).length > NAME_MAX - 1 - tag.length()) {
                kept = kept.substring(0, kept.length() - 1);
            }
            return kept + " " + tag;
        }

        @Override
        String withInUrl(String theirs, String tag) {
            String name = with(URLDecoder.decode(theirs, StandardCharsets.UTF_8), tag);
            return URLEncoder.encode(name, StandardCharsets.UTF_8);
        }

        @Override
        String alone(String tag) {
            return tag;
        }
    },
    ATTRIBUTE("connectionAttributes", "", "jdbc:(mariadb|mysql):.*") {
        @Override
        String with(String theirs, String tag) {
            return theirs.isEmpty() ? alone(tag) : alone(tag) + "," + theirs;
        }

        /** One of the two drivers does not decode it, and there is nothing to encode. */
        @Override
        String withInUrl(String theirs, String tag) {
            return with(theirs, tag);
        }

        @Override
        String alone(String tag) {
            return NAME + ":" + tag;
        }
    };

    /** The attribute. */
    static final String NAME = "weir_fleet";

    /** PostgreSQL cuts a longer application name off. */
    private static final int NAME_MAX = 63;

    private final String property;
    private final String ofDriver;
    private final Pattern urls;
    private final Pattern inUrl;

    SessionTag(String property, String ofDriver, String urls) {
        this.property = property;
        this.ofDriver = ofDriver;
        this.urls = Pattern.compile(urls);
        this.inUrl = Pattern.compile("(?<=[?&]" + property + "=)[^&]*");
    }

    /** The user's own value, and the tag. */
    abstract String with(String theirs, String tag);

    abstract String withInUrl(String theirs, String tag);

    abstract String alone(String tag);

    private static @Nullable SessionTag of(@Nullable String url) {
        for (SessionTag kind : values()) {
            if (url != null && kind.urls.matcher(url).matches()) {
                return kind;
            }
        }
        return null;
    }

    /**
     * How the tags of a fleet begin; the instance follows. A name may be too long for PostgreSQL, so this has 48 bits of its SHA-256: fleets
     * with one prefix would count each other's sessions.
     */
    static String prefix(String fleet) {
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256").digest(fleet.getBytes(StandardCharsets.UTF_8));
            return "weir:" + HexFormat.of().formatHex(hash, 0, 6) + ":";
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("SHA-256, which each JVM has, is missing", e);
        }
    }

    /** Has a pool that is not started name its sessions so; returns the tag, or null where the server shows none. */
    static @Nullable String give(WeirDataSource pool, Map<String, Object> properties, String fleet, String instance) {
        String url = pool.getUrl();
        SessionTag kind = of(url);
        if (url == null || kind == null) {
            return null;
        }
        String tag = prefix(fleet) + instance;
        Object theirs = properties.get(kind.property);
        Matcher given = kind.inUrl.matcher(url);
        if (kind.isReadIn(url, theirs) && given.find()) {
            String value = kind.withInUrl(given.group(), tag);
            pool.setUrl(url.substring(0, given.start()) + value + url.substring(given.end()));
        } else {
            pool.addDataSourceProperty(
                    kind.property, theirs == null ? kind.alone(tag) : kind.with(theirs.toString(), tag));
        }
        return tag;
    }

    /** Undoes {@link #give}: a pool that was refused names its sessions as before. */
    static void take(WeirDataSource pool, Map<String, Object> properties, @Nullable String url) {
        SessionTag kind = of(url);
        if (url == null || kind == null) {
            return;
        }
        pool.setUrl(url);
        Object theirs = properties.get(kind.property);
        if (!kind.isReadIn(url, theirs)) {
            pool.addDataSourceProperty(kind.property, theirs == null ? kind.ofDriver : theirs);
        }
    }

    /** Whether the driver goes by the URL: Connector/J prefers a property, the others the URL. */
    private boolean isReadIn(String url, @Nullable Object property) {
        return inUrl.matcher(url).find() && (property == null || !url.startsWith("jdbc:mysql:"));
    }

    /** Whether each user of the server sees the tags, so that others see which sessions a member still has. */
    static boolean isSeenByAll(@Nullable String url) {
        return of(url) == APPLICATION_NAME;
    }
}

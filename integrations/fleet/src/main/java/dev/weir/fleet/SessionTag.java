package dev.weir.fleet;

import dev.weir.WeirDataSource;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * By what the server shows whose a session is: the end of its application name, after the user's own. PostgreSQL with
 * its own driver only. A session that a user renames is one without a tag, see {@link Ledger.Sessions#nameless}.
 */
final class SessionTag {
    /** PostgreSQL cuts a longer application name off. */
    private static final int NAME_MAX = 63;

    private static final String PROPERTY = "ApplicationName";

    /** The driver's own. */
    private static final String DEFAULT = "PostgreSQL JDBC Driver";

    private static final Pattern IN_URL = Pattern.compile("(?<=[?&]ApplicationName=)[^&]*");

    private SessionTag() {}

    /** How the tags of a fleet begin; the instance follows. */
    static String prefix(String fleet) {
        return "weir:" + Integer.toHexString(fleet.hashCode()) + ":";
    }

    /** Has a pool that is not started name its sessions so; returns the tag, or null where the server shows none. */
    static @Nullable String give(WeirDataSource pool, Map<String, Object> properties, String fleet, String instance) {
        String url = pool.getUrl();
        if (url == null || !url.startsWith("jdbc:postgresql:")) {
            return null;
        }
        String tag = prefix(fleet) + instance;
        Matcher inUrl = IN_URL.matcher(url);
        if (inUrl.find()) { // which the driver prefers to a property
            String theirs = URLDecoder.decode(inUrl.group(), StandardCharsets.UTF_8);
            String name = URLEncoder.encode(named(theirs, tag), StandardCharsets.UTF_8);
            pool.setUrl(url.substring(0, inUrl.start()) + name + url.substring(inUrl.end()));
        } else {
            Object theirs = properties.get(PROPERTY);
            pool.addDataSourceProperty(PROPERTY, theirs == null ? tag : named(theirs.toString(), tag));
        }
        return tag;
    }

    /** Undoes {@link #give}: a pool that was refused names its sessions as before. */
    static void take(WeirDataSource pool, Map<String, Object> properties, @Nullable String url) {
        if (url == null || !url.startsWith("jdbc:postgresql:")) {
            return;
        }
        pool.setUrl(url);
        pool.addDataSourceProperty(PROPERTY, properties.getOrDefault(PROPERTY, DEFAULT));
    }

    private static String named(String theirs, String tag) {
        String kept = theirs;
        while (kept.getBytes(StandardCharsets.UTF_8).length > NAME_MAX - 1 - tag.length()) {
            kept = kept.substring(0, kept.length() - 1);
        }
        return kept + " " + tag;
    }
}

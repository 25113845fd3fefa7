package dev.weir.internal.sessions;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collection;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What {@link SessionState} says to one database, for one session. A round trip each, unless it says otherwise. */
interface SessionSql {
    /** Beside the settings: whether a text may call what it does not name; {@code true} if it may. */
    String HIDES = "";

    /** What this text may leave on the session; sends nothing. */
    Effect effectOf(String text);

    /** Whether a rollback takes back what set a setting; sends nothing. */
    boolean rollsBack();

    /** The settings of the session, before anybody had it, to which a sweep does not go back; and {@link #HIDES}. */
    Map<String, String> first(Connection session) throws SQLException;

    /** The values of these settings now, at least one; those that the session does not know may be left out. */
    Map<String, String> read(Connection session, Collection<String> names) throws SQLException;

    /** Whether the session holds a lock of its own. */
    boolean isLocked(Connection session) throws SQLException;

    /** Takes away whatever texts may have left; the settings are then as the server gives them to a new session, or nearly so. */
    void sweep(Connection session) throws SQLException;

    /** Gives these settings these values; null stands for what a sweep gives. */
    void set(Connection session, Map<String, @Nullable String> changes) throws SQLException;
}

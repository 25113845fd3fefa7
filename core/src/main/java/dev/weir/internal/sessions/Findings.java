package dev.weir.internal.sessions;

import dev.weir.internal.sessions.Effect.Kind;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;

/** What was found in a text so far. */
final class Findings {
    /** A longer text is not looked at. */
    static final int LONGEST_TEXT = 1_000_000;

    /** A longer name is cut by the server. */
    private static final int LONGEST_NAME = 63;

    /** They end with the transaction, whoever sets them. */
    private static final Set<String> OF_TRANSACTION =
            Set.of("transaction_isolation", "transaction_read_only", "transaction_deferrable");

    /**
     * The driver reads by some, and closes a connection whose encoding or style of dates it cannot read. The others are more
     * than a value: a user, and a state that moves on. Also for a transaction alone.
     */
    private static final Set<String> NOT_CARRIED =
            Set.of("client_encoding", "datestyle", "standard_conforming_strings", "session_authorization", "seed");

    private final boolean namesTemporarySchema;
    private final Set<String> names = new TreeSet<>();
    private Kind kind = Kind.CLEAR;
    private String reason = "";
    private boolean leaves;

    /** @param namesTemporarySchema whether the text has its name anywhere, be it in a literal */
    Findings(boolean namesTemporarySchema) {
        this.namesTemporarySchema = namesTemporarySchema;
    }

    void found(Kind found, String why) {
        leaves |= found == Kind.LEAVES;
        if (found.compareTo(kind) > 0) {
            kind = found;
            reason = why;
        }
    }

    void pins(String why) {
        found(Kind.PINS, why);
    }

    /** A setting gets another value, for the transaction alone or for the session. */
    void sets(String setting, boolean transactionOnly) {
        String name = SqlTokens.lower(setting);
        if (!isPlain(name)) {
            pins("the name of a setting");
        } else if (name.equals("search_path") && namesTemporarySchema) {
            pins("the temporary schema in search_path");
        } else if (NOT_CARRIED.contains(name)) {
            pins("SET " + name);
        } else if (!transactionOnly && !OF_TRANSACTION.contains(name)) {
            setsName(name, "SET " + name);
        }
    }

    /** A setting of this name gets another value for the session. */
    void setsName(String name, String why) {
        names.add(name);
        found(Kind.SETS, why);
    }

    static Set<String> words(String text) {
        return Set.of(text.strip().split("\\s+"));
    }

    static String upper(String keyword) {
        return keyword.toUpperCase(Locale.ROOT);
    }

    static boolean isPlain(String name) {
        boolean plain = !name.isEmpty() && name.length() <= LONGEST_NAME && !Character.isDigit(name.charAt(0));
        for (int i = 0; plain && i < name.length(); i++) {
            char c = name.charAt(i);
            plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '.' || c == '$';
        }
        return plain;
    }

    /** What only a sweep takes away is not kept beside what must stay. */
    Effect effect() {
        if (leaves && (kind == Kind.SETS || kind == Kind.LOCKS)) {
            pins(reason + " with a change");
        }
        return kind == Kind.CLEAR ? Effect.NOTHING : new Effect(kind, names, reason);
    }
}

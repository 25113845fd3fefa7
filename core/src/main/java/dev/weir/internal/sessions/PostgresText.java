package dev.weir.internal.sessions;

import dev.weir.internal.sessions.Effect.Kind;
import java.util.Locale;
import java.util.Set;

/**
 * Reads SQL texts of PostgreSQL for what they may leave on the session. A text is clear only if every part of it is understood:
 * statements, functions and operators that are not known to leave nothing pin.
 *
 * <p>A text does not show everything. These are taken for what they seem: a function, operator, cast or type of a user's that
 * has the name of a built-in one and comes before it, by {@code search_path} or by its arguments; a function behind
 * {@code row.name}; functions in views, policies and domains that a query meets; a name of the temporary schema that is put
 * together from parts, written with escapes or given as a parameter. The texts of prepared statements and of others are read
 * alike, so that {@code ?} is a parameter or an operator, whichever is built in. The server's encoding is taken for UTF-8.
 * {@link SessionState} asks whether the database has such functions at all.
 *
 * <p>Thread-safe, without state; takes time in proportion to the text.
 */
final class PostgresText {

    private static final Set<String> CREATED = Findings.words("""
            aggregate cast collation conversion database domain foreign function group index materialized operator policy
            procedure publication role rule schema sequence server statistics table tablespace text trigger type user view
            """);

    /** Between CREATE and what is created. */
    private static final Set<String> BEFORE_CREATED =
            Findings.words("or replace unlogged unique recursive constraint event");

    private static final Set<String> ALTERED = Findings.words("default system large");

    private final SqlTokens tokens;
    private final Findings findings;
    private final PostgresQuery query;

    private PostgresText(SqlTokens tokens, Findings findings) {
        this.tokens = tokens;
        this.findings = findings;
        this.query = new PostgresQuery(tokens, findings);
    }

    /** Never throws for a text, whatever it is. */
    static Effect effectOf(String sql) {
        if (sql.length() > Findings.LONGEST_TEXT) {
            return Effect.pins("a text of more than " + Findings.LONGEST_TEXT + " characters");
        }
        if (sql.indexOf('\0') >= 0) {
            return Effect.pins("not understood: a character");
        }
        SqlTokens tokens = SqlTokens.of(sql);
        String refusal = tokens.refusal();
        if (refusal != null) {
            return Effect.pins("not understood: " + refusal);
        }
        Findings findings = new Findings(sql.toLowerCase(Locale.ROOT).contains("pg_temp"));
        new PostgresText(tokens, findings).statements();
        return findings.effect();
    }

    private void statements() {
        int start = 0;
        for (int i = 0; i <= tokens.count(); i++) {
            if (tokens.isNameFrom(i, "pg_temp")) {
                findings.pins("temporary schema");
            } else if (tokens.is(i, "atomic") && tokens.is(i - 1, "begin")) {
                findings.pins("BEGIN ATOMIC"); // has statements of its own
            } else if ((tokens.is(i, '{') && !isDateEscape(i)) || (tokens.is(i, '}') && !isDateEscape(i - 3))) {
                findings.pins("JDBC escape");
            } else if (i == tokens.count() || tokens.is(i, ';')) {
                statement(start, i);
                start = i + 1;
            }
        }
    }

    /** {d '...'}, {t '...'} and {ts '...'}; the driver does not know the literal from the rest. */
    private boolean isDateEscape(int i) {
        return tokens.is(i, '{')
                && (tokens.is(i + 1, "d") || tokens.is(i + 1, "t") || tokens.is(i + 1, "ts"))
                && tokens.kind(i + 2) == SqlTokens.PLAIN
                && tokens.text(i + 2).indexOf('}') < 0
                && tokens.is(i + 3, '}');
    }

    private void statement(int first, int to) {
        int from = tokens.is(first, "explain") ? afterExplain(first + 1) : first;
        if (from >= to) {
            return;
        }
        if (tokens.is(from, '(')) {
            query.read(from, to);
            return;
        }
        String verb = tokens.kind(from) == SqlTokens.WORD ? tokens.text(from) : "";
        switch (verb) {
            case "select", "values", "table", "with", "insert", "update", "delete", "merge" -> query.read(from, to);
            case "begin", "start", "end", "abort", "savepoint", "release" -> {}
            case "commit", "rollback" -> {
                if (tokens.is(from + 1, "prepared")) {
                    findings.found(Kind.LEAVES, Findings.upper(verb) + " PREPARED");
                }
            }
            case "show", "fetch", "move", "close", "notify", "checkpoint", "lock" -> {}
            case "truncate",
                    "comment",
                    "grant",
                    "revoke",
                    "vacuum",
                    "analyze",
                    "analyse",
                    "reindex",
                    "cluster",
                    "refresh",
                    "drop",
                    "security",
                    "reassign" -> findings.found(Kind.LEAVES, Findings.upper(verb));
            case "declare" -> declare(from, to);
            case "copy" -> copy(from, to);
            case "create" -> create(from, to);
            case "alter" -> alter(from);
            case "set" -> set(from + 1, to);
            case "reset" -> reset(from + 1, to);
            case "listen", "unlisten", "prepare", "execute", "deallocate", "load", "do", "call", "discard" ->
                findings.pins(Findings.upper(verb));
            default -> findings.pins("not understood: " + (isKeywordLike(verb) ? Findings.upper(verb) : "a statement"));
        }
    }

    private static boolean isKeywordLike(String verb) {
        return !verb.isEmpty() && verb.length() < 20 && verb.chars().allMatch(c -> c >= 'a' && c <= 'z');
    }

    /** What is explained counts as if it ran: it does with ANALYZE. */
    private int afterExplain(int i) {
        if (tokens.is(i, '(')) {
            return tokens.partner(i) + 1;
        }
        int after = i;
        while (tokens.is(after, "analyze") || tokens.is(after, "analyse") || tokens.is(after, "verbose")) {
            after++;
        }
        return after;
    }

    private void declare(int from, int to) {
        for (int i = from; i < to; i++) {
            if (tokens.is(i, "hold") && tokens.is(i - 1, "with")) {
                findings.pins("WITH HOLD");
            }
        }
        query.read(from, to);
    }

    private void copy(int from, int to) {
        findings.found(Kind.LEAVES, "COPY");
        int direction = from + 1;
        while (direction < to && !tokens.is(direction, "from") && !tokens.is(direction, "to")) {
            if (tokens.is(direction, '(')) {
                if (direction == from + 1) {
                    query.read(direction, tokens.partner(direction));
                }
                direction = tokens.partner(direction);
            }
            direction++;
        }
        if (!tokens.is(direction + 1, tokens.is(direction, "to") ? "stdout" : "stdin")) {
            findings.pins("not understood: COPY");
        }
        query.read(direction, to);
    }

    private void create(int from, int to) {
        int object = from + 1;
        while (tokens.kind(object) == SqlTokens.WORD && BEFORE_CREATED.contains(tokens.text(object))) {
            object++;
        }
        if (!isOneOf(CREATED, object)) {
            boolean temporary = tokens.is(object, "temp")
                    || tokens.is(object, "temporary")
                    || tokens.is(object, "local")
                    || tokens.is(object, "global");
            findings.pins(temporary ? "temporary table" : "not understood: CREATE");
            return;
        }
        findings.found(Kind.LEAVES, "CREATE");
        boolean mayQuery = tokens.is(object, "table") || tokens.is(object, "materialized");
        for (int i = object; i < to; i++) {
            if (tokens.is(i, '(')) {
                i = tokens.partner(i);
            } else if (tokens.is(object, "schema") && (tokens.is(i, "temp") || tokens.is(i, "temporary"))) {
                findings.pins("temporary table");
            } else if (mayQuery && tokens.is(i, "as")) {
                if (tokens.is(i + 1, "execute")) {
                    findings.pins("EXECUTE");
                }
                query.read(i, to);
                return;
            }
        }
    }

    private void alter(int from) {
        if (isOneOf(CREATED, from + 1) || isOneOf(ALTERED, from + 1)) {
            findings.found(Kind.LEAVES, "ALTER");
        } else {
            findings.pins("not understood: ALTER");
        }
    }

    private boolean isOneOf(Set<String> words, int i) {
        return tokens.kind(i) == SqlTokens.WORD && words.contains(tokens.text(i));
    }

    private void set(int afterSet, int to) {
        if (isCharacteristics(afterSet)) {
            for (String what : new String[] {"isolation", "read_only", "deferrable"}) {
                findings.sets("default_transaction_" + what, false);
            }
            return;
        }
        boolean forTransaction = tokens.is(afterSet, "local");
        int i = (forTransaction || tokens.is(afterSet, "session")) && !isSettingItself(afterSet)
                ? afterSet + 1
                : afterSet;
        int value = afterName(i);
        if (tokens.isName(i) && (tokens.is(value, "to") || isEquals(value))) {
            findings.sets(dotted(i, value), forTransaction);
        } else if (tokens.kind(i) == SqlTokens.WORD && value < to) {
            setClause(i, forTransaction);
        } else {
            findings.pins("not understood: SET");
        }
    }

    /** Of a setting: its parts and the dots between them. */
    private int afterName(int i) {
        int after = i + 1;
        while (tokens.is(after, '.') && tokens.isName(after + 1)) {
            after += 2;
        }
        return after;
    }

    private boolean isCharacteristics(int i) {
        return tokens.is(i, "session") && tokens.is(i + 1, "characteristics") && tokens.is(i + 2, "as");
    }

    /** SET session = 1 would set a setting of this name. */
    private boolean isSettingItself(int i) {
        return isEquals(i + 1) || tokens.is(i + 1, "to") || tokens.is(i + 1, '.');
    }

    private boolean isEquals(int i) {
        return tokens.kind(i) == SqlTokens.OPERATOR && tokens.text(i).startsWith("=");
    }

    private String dotted(int from, int to) {
        StringBuilder name = new StringBuilder();
        for (int i = from; i < to; i++) {
            name.append(tokens.text(i));
        }
        return name.toString();
    }

    /** The forms without = and TO. */
    private void setClause(int i, boolean forTransaction) {
        switch (tokens.text(i)) {
            case "time" -> findings.sets(tokens.is(i + 1, "zone") ? "timezone" : "", forTransaction);
            case "role" -> findings.sets("role", forTransaction);
            case "schema" -> findings.sets("search_path", forTransaction);
            case "names" -> findings.sets("client_encoding", forTransaction);
            case "xml" -> findings.sets(tokens.is(i + 1, "option") ? "xmloption" : "", forTransaction);
            case "authorization" -> findings.sets("session_authorization", forTransaction);
            case "session" ->
                findings.sets(tokens.is(i + 1, "authorization") ? "session_authorization" : "", forTransaction);
            case "transaction", "constraints" -> {}
            default -> findings.pins("not understood: SET");
        }
    }

    private void reset(int i, int to) {
        if (tokens.is(i, "all") && i + 1 == to) {
            findings.pins("RESET ALL");
        } else if (tokens.is(i, "time") && tokens.is(i + 1, "zone")) {
            findings.sets("timezone", false);
        } else if (tokens.is(i, "session") && tokens.is(i + 1, "authorization")) {
            findings.sets("session_authorization", false);
        } else if (!tokens.is(i, "transaction")) {
            findings.sets(tokens.isName(i) && afterName(i) == to ? dotted(i, to) : "", false);
        }
    }
}

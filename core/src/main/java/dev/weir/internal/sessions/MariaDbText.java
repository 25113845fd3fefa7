package dev.weir.internal.sessions;

import static dev.weir.internal.sessions.Findings.upper;

import dev.weir.internal.sessions.Effect.Kind;
import dev.weir.internal.sessions.Effect.Trace;
import java.util.Set;

/**
 * Reads SQL texts of MariaDB for what they may leave on the session, under every {@code sql_mode} but {@code ORACLE}. A text is
 * clear only if every part of it is understood: what is not known to leave nothing pins.
 *
 * <p>A text does not show the functions that a view calls: {@link MariaDbSql} asks whether there are views at all.
 */
final class MariaDbText {
    /** The name of the current database among the settings. */
    static final String DATABASE = "database";

    private static final Set<String> MADE = Findings.words("table index view sequence");
    private static final Set<String> DROPPED =
            Findings.words("table index view sequence trigger function procedure event user");
    private static final Set<String> BEFORE_MADE = Findings.words("or replace unique fulltext spatial");
    private static final Set<String> SCOPES = Findings.words("session local global");
    private static final Set<String> QUERIES = Findings.words("select with values insert update delete replace");

    private final SqlTokens tokens;
    private final Findings findings = new Findings(false);
    private Trace trace = Trace.NONE;
    private boolean first = true;

    private MariaDbText(SqlTokens tokens) {
        this.tokens = tokens;
    }

    /** Never throws for a text, whatever it is. */
    static Effect effectOf(String sql) {
        if (sql.length() > Findings.LONGEST_TEXT) {
            return Effect.pins("a text of more than " + Findings.LONGEST_TEXT + " characters");
        }
        SqlTokens tokens = MariaDbTokens.of(sql);
        String refusal = sql.indexOf('\0') >= 0 ? "a character" : tokens.refusal();
        if (refusal != null) {
            return Effect.pins("not understood: " + refusal);
        }
        MariaDbText text = new MariaDbText(tokens);
        text.statements();
        Effect found = text.findings.effect();
        return text.trace == Trace.NONE ? found : new Effect(found.kind(), found.names(), found.reason(), text.trace);
    }

    private void statements() {
        int start = 0;
        for (int i = 0; i <= tokens.count(); i++) {
            if (i == tokens.count() || tokens.is(i, ';')) {
                if (start < i) {
                    statement(start, i);
                    first = false;
                }
                start = i + 1;
            }
        }
    }

    private void statement(int from, int to) {
        String verb = word(from);
        switch (tokens.is(from, '(') ? "select" : verb) {
            case "select", "values", "do" -> read(from, to);
            case "with" -> with(from, to);
            case "insert", "replace" -> {
                changes(from, to);
                make(); // last: until here it read what others made
            }
            case "update", "delete" -> changes(from, to);
            case "explain", "describe", "desc" -> explain(from + 1, to);
            case "show" -> show(from, to);
            case "begin" -> only(from, to, tokens.is(from + 1, "work") ? 2 : 1);
            case "start" -> ifNext(from, "transaction", Kind.CLEAR);
            case "savepoint" -> only(from, to, 2);
            case "release" -> ifNext(from, "savepoint", Kind.CLEAR);
            case "commit", "rollback" -> end(from, to);
            case "truncate" -> findings.found(Kind.LEAVES, upper(verb));
            case "rename", "analyze", "optimize", "check", "repair" -> ifNext(from, "table", Kind.LEAVES);
            case "create" -> create(from, to);
            case "alter" -> ifNext(from, "table", Kind.LEAVES);
            case "drop" -> ifDropped(from);
            case "set" -> set(from, to);
            case "use" -> use(from, to);
            default -> other(verb);
        }
    }

    private void other(String verb) {
        boolean plain = Findings.isPlain(verb) && verb.length() < 20;
        if (verb.equals("call") || verb.equals("execute")) {
            make();
        }
        findings.pins("not understood: " + (plain ? upper(verb) : "a statement"));
    }

    private String word(int i) {
        return tokens.kind(i) == SqlTokens.WORD ? tokens.text(i) : "";
    }

    private void only(int from, int to, int words) {
        if (to - from != words) {
            findings.pins("not understood: " + upper(word(from)));
        }
    }

    private void ifNext(int from, String next, Kind kind) {
        if (tokens.is(from + 1, next)) {
            findings.found(kind, upper(word(from)));
        } else {
            findings.pins("not understood: " + upper(word(from)));
        }
    }

    private void ifDropped(int from) {
        if (DROPPED.contains(word(from + 1))) {
            findings.found(Kind.LEAVES, "DROP");
        } else {
            findings.pins("not understood: DROP");
        }
    }

    /** With RELEASE the server ends the session. */
    private void end(int from, int to) {
        for (int i = from + 1; i < to; i++) {
            if (tokens.is(i, "release") && !tokens.is(i - 1, "no")) {
                findings.pins("RELEASE");
            }
        }
    }

    private void with(int from, int to) {
        for (int i = from; i < to; i++) {
            if (!tokens.is(i + 1, '(')
                    && !tokens.is(i - 1, "for")
                    && (tokens.is(i, "insert")
                            || tokens.is(i, "update")
                            || tokens.is(i, "delete")
                            || tokens.is(i, "replace"))) {
                findings.found(Kind.LEAVES, upper(word(i)));
            }
        }
        read(from, to);
    }

    private void changes(int from, int to) {
        findings.found(Kind.LEAVES, upper(word(from)));
        read(from, to);
    }

    private void make() {
        if (trace == Trace.NONE) {
            trace = Trace.MADE;
        }
    }

    private void readsLast() {
        if (trace == Trace.NONE && first) {
            trace = Trace.LAST;
        }
    }

    private void readsMade() {
        trace = trace == Trace.MADE ? Trace.MADE : Trace.READ;
    }

    /** What is explained counts as if it ran: a part of it does. */
    private void explain(int i, int to) {
        int what = i;
        while (tokens.is(what, "extended") || tokens.is(what, "partitions")) {
            what++;
        }
        if (tokens.is(what, "format") && word(what + 2).equals("json")) {
            what += 3;
        }
        if (QUERIES.contains(word(what))) {
            statement(what, to);
        } else {
            only(i, to, to - i == 3 && tokens.is(i + 1, '.') ? 3 : 1);
        }
    }

    private void show(int from, int to) {
        for (int i = from; i < to; i++) {
            if (tokens.is(i, "warnings") || tokens.is(i, "errors") || tokens.is(i, "profile")) {
                readsLast();
                findings.pins("SHOW " + upper(word(i)));
            }
        }
        read(from, to);
    }

    private void create(int from, int to) {
        int object = from + 1;
        while (BEFORE_MADE.contains(word(object))) {
            object++;
        }
        if (!MADE.contains(word(object))) {
            findings.pins(word(object).equals("temporary") ? "temporary table" : "not understood: CREATE");
            return;
        }
        findings.found(Kind.LEAVES, "CREATE");
        for (int i = object; i < to && tokens.is(object, "table"); i++) {
            if (tokens.is(i, "select") || tokens.is(i, "with") || tokens.is(i, "values")) {
                read(i, to);
                return;
            }
        }
    }

    private void use(int from, int to) {
        if (to - from == 2 && tokens.isName(from + 1) && !isSys(from + 1)) {
            findings.setsName(DATABASE, "USE");
        } else {
            findings.pins("not understood: USE");
        }
    }

    /** Its parts stand between commas; each has a scope of its own, which is the session where none is named. */
    private void set(int from, int to) {
        int start = from + 1;
        for (int i = start; i <= to; i++) {
            if (i == to || tokens.is(i, ',')) {
                assignment(start, i);
                start = i + 1;
            } else if (tokens.is(i, '(')) {
                i = tokens.partner(i);
            }
        }
    }

    private void assignment(int from, int to) {
        int name = from;
        if (tokens.is(name, '@') && tokens.is(name + 1, '@')) {
            name += 2;
        }
        String scope = word(name);
        boolean scoped = SCOPES.contains(scope) && !isAssigned(name + 1);
        if (scoped) {
            name += name > from ? 2 : 1; // with a dot behind @@, which is what it must be
        }
        if (!isAssigned(name + 1)) {
            findings.pins("SET " + (Findings.isPlain(word(from)) ? upper(word(from)) : "of what is not understood"));
        } else if (scoped && scope.equals("global")) {
            findings.found(Kind.LEAVES, "SET GLOBAL");
        } else if (MariaDbNames.SETTINGS.contains(word(name))) {
            findings.setsName(word(name), "SET " + word(name));
        } else {
            findings.pins(word(name).isEmpty() ? "SET" : "SET " + word(name));
        }
        read(name + 1, to);
    }

    private boolean isAssigned(int i) {
        return tokens.kind(i) == SqlTokens.OPERATOR
                && (tokens.text(i).startsWith("=") || tokens.text(i).startsWith(":="));
    }

    /** The schema whose views call functions that set variables; those of others {@link MariaDbSql} asks for. */
    private boolean isSys(int i) {
        return tokens.isName(i) && tokens.text(i).equalsIgnoreCase("sys");
    }

    /** Finds in a query, or in a statement that changes rows, what may leave something on the session. */
    private void read(int from, int to) {
        for (int i = from; i < to; i++) {
            if (tokens.is(i, '.') && isSys(i - 1)) {
                findings.found(Kind.LEAVES, "a view of sys");
            } else if (tokens.is(i, '@')) {
                variable(i);
            } else if (tokens.is(i, '{') || tokens.is(i, '}')) {
                findings.pins("JDBC escape");
            } else if (tokens.kind(i) == SqlTokens.OPERATOR) {
                if (i > from && tokens.text(i).contains(":")) {
                    findings.pins("an assignment");
                }
            } else if (tokens.is(i + 1, '(') && (tokens.isName(i) || tokens.kind(i) == SqlTokens.NUMBER)) {
                beforeParenthesis(i);
            } else if (tokens.kind(i) == SqlTokens.WORD) {
                keyword(i);
            }
        }
    }

    private void keyword(int i) {
        switch (tokens.text(i)) {
            case "into" -> {
                if (!isAfterVerb(i)) {
                    findings.pins("SELECT INTO");
                }
            }
            case "sql_calc_found_rows" -> {
                make();
                findings.pins("SQL_CALC_FOUND_ROWS");
            }
            case "procedure" -> findings.pins("PROCEDURE");
            case "value" -> {
                if (tokens.is(i + 1, "for")) {
                    findings.pins("a sequence");
                }
            }
            default -> {}
        }
    }

    /** INSERT [LOW_PRIORITY | ...] [IGNORE] INTO. */
    private boolean isAfterVerb(int into) {
        int i = into - 1;
        while (tokens.is(i, "ignore")
                || tokens.is(i, "low_priority")
                || tokens.is(i, "high_priority")
                || tokens.is(i, "delayed")) {
            i--;
        }
        return tokens.is(i, "insert") || tokens.is(i, "replace");
    }

    private void variable(int i) {
        if (tokens.is(i - 1, '@')) {
            return; // the second of two
        }
        if (!tokens.is(i + 1, '@')) {
            findings.pins("a user variable");
            return;
        }
        int name = SCOPES.contains(word(i + 2)) && tokens.is(i + 3, '.') ? i + 4 : i + 2;
        switch (word(name)) {
            case "last_insert_id", "identity" -> readsMade();
            case "", "error_count", "warning_count", "insert_id", "pseudo_thread_id", "last_gtid" -> {
                readsLast();
                findings.pins("a variable of the last statement");
            }
            default -> {}
        }
    }

    private void beforeParenthesis(int i) {
        int start = i;
        while (tokens.is(start - 1, '.') && tokens.isName(start - 2)) {
            start -= 2;
        }
        if (tokens.is(start - 1, "into") && isAfterVerb(start - 1)) {
            return; // a table and its columns
        }
        String name = word(i);
        if (start < i || tokens.is(start - 1, '.') || name.isEmpty()) {
            findings.pins("a function that is not built in");
        } else if (MariaDbNames.READS.contains(name)) {
            lastStatement(i, name);
        } else if (MariaDbNames.NOT_SPACED.contains(name) && !tokens.touchesNext(i)) {
            findings.pins("function " + name + " behind a space");
        } else if (!MariaDbNames.FUNCTIONS.contains(name) && !isNoCall(i, name)) {
            findings.pins("function " + name);
        }
    }

    private void lastStatement(int i, String name) {
        if (tokens.partner(i + 1) == i + 2) {
            if (name.equals("last_insert_id")) {
                readsMade();
            } else {
                readsLast();
            }
        } else {
            make();
            findings.pins(upper(name) + " of a value");
        }
    }

    private boolean isNoCall(int i, String name) {
        return switch (name) {
            case "any", "some" -> QUERIES.contains(word(i + 2));
            case "against" -> tokens.is(i - 1, ')') && tokens.is(tokens.partner(i - 1) - 1, "match");
            case "datetime" -> tokens.is(i - 1, "as");
            default ->
                MariaDbNames.KEYWORDS.contains(name)
                        || (MariaDbNames.WINDOWED.contains(name) && tokens.is(tokens.partner(i + 1) + 1, "over"));
        };
    }
}

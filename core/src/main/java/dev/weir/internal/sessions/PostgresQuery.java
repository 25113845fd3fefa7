package dev.weir.internal.sessions;

import dev.weir.internal.sessions.Effect.Kind;

/**
 * Finds in a query, or in a statement that changes rows, what may leave something on the session: calls of functions, operators
 * that are not built in, an INTO. Each parenthesis that follows a name begins a call, unless the grammar says that it cannot.
 */
final class PostgresQuery {
    private final SqlTokens tokens;
    private final Findings findings;

    PostgresQuery(SqlTokens tokens, Findings findings) {
        this.tokens = tokens;
        this.findings = findings;
    }

    void read(int from, int to) {
        boolean changesRows = false;
        boolean settings = false;
        for (int i = from; i < to; i++) {
            switch (tokens.kind(i)) {
                case SqlTokens.WORD, SqlTokens.NAME -> {
                    changesRows |= changesRows(i);
                    settings |= tokens.isNameFrom(i, "pg_settings");
                    if (tokens.is(i, "into")) {
                        into(i);
                    } else if (tokens.is(i + 1, '(')) {
                        beforeParenthesis(i);
                    }
                }
                case SqlTokens.OPERATOR -> {
                    if (!areBuiltIn(tokens.text(i))) {
                        findings.pins("an operator that is not built in");
                    }
                }
                default -> {}
            }
        }
        if (changesRows && settings) {
            findings.pins("UPDATE pg_settings"); // a view whose rule sets
        }
    }

    /** Also inside a WITH. A column of this name is taken for it too. */
    private boolean changesRows(int i) {
        boolean changes = tokens.is(i, "insert")
                || tokens.is(i, "delete")
                || tokens.is(i, "merge")
                || (tokens.is(i, "update") && !tokens.is(i - 1, "for") && !tokens.is(i - 1, "key"));
        if (changes) {
            findings.found(Kind.LEAVES, Findings.upper(tokens.text(i)));
        }
        return changes;
    }

    private void into(int i) {
        if (tokens.is(i + 1, "temp")
                || tokens.is(i + 1, "temporary")
                || tokens.is(i + 1, "local")
                || tokens.is(i + 1, "global")) {
            findings.pins("temporary table");
        } else if (!tokens.is(i - 1, "insert") && !tokens.is(i - 1, "merge")) {
            findings.found(Kind.LEAVES, "SELECT INTO");
        }
    }

    private void beforeParenthesis(int i) {
        int start = i;
        while (tokens.is(start - 1, '.') && tokens.isName(start - 2)) {
            start -= 2;
        }
        if (tokens.is(start - 1, '.')) {
            findings.pins("a function of another schema");
        } else if (!isNoCall(start, i)) {
            call(start, i);
        }
    }

    /** Whether a type, a table, an alias or a keyword is before the parenthesis; the name is that of these tokens. */
    private boolean isNoCall(int start, int i) {
        int before = start - 1;
        if (tokens.kind(before) == SqlTokens.CAST || tokens.is(before, "as") || tokens.is(before, "into")) {
            return true; // a type, an alias, a table, with their arguments or columns
        }
        if (tokens.is(before, ')') && !mayCallFollow(tokens.partner(before))) {
            return true; // f(x) t (a, b), count(*) FILTER (...)
        }
        if (start < i || tokens.kind(i) != SqlTokens.WORD) {
            return false;
        }
        return PostgresNames.KEYWORDS.contains(tokens.text(i)) || isClause(i) || isNamedQuery(i);
    }

    /** An expression begins after a parenthesis in two places alone: DISTINCT ON (a) f(b), a OPERATOR(pg_catalog.+) f(b). */
    private boolean mayCallFollow(int open) {
        return tokens.is(open - 1, "operator") || (tokens.is(open - 1, "on") && tokens.is(open - 2, "distinct"));
    }

    /** Words that may name a function too: where the words around make them a clause. */
    private boolean isClause(int i) {
        int behind = tokens.partner(i + 1) + 1;
        return switch (tokens.text(i)) {
            case "by" -> tokens.is(i - 1, "group") || tokens.is(i - 1, "order") || tokens.is(i - 1, "partition");
            case "sets" -> tokens.is(i - 1, "grouping");
            case "rollup", "cube" -> tokens.is(i - 1, "by") && tokens.is(i - 2, "group");
            case "materialized" -> tokens.is(i - 1, "not") && tokens.is(i - 2, "as");
            case "join" -> tokens.is(i + 2, "select") || tokens.is(i + 2, "with") || tokens.is(i + 2, "table");
            case "conflict" -> tokens.is(i - 1, "on") && tokens.is(behind, "do");
            case "insert" -> tokens.is(i - 1, "then") && tokens.is(behind, "values");
            case "bernoulli", "system" -> tokens.is(i - 1, "tablesample");
            case "operator" -> isBuiltInOperator(i + 2, behind - 1);
            default -> false;
        };
    }

    private boolean isBuiltInOperator(int from, int close) {
        int operator = tokens.is(from + 1, '.') && tokens.text(from).equals("pg_catalog") ? from + 2 : from;
        return tokens.kind(operator) == SqlTokens.OPERATOR && operator + 1 == close;
    }

    /** WITH name (a, b) AS (query. A function in FROM may have columns after AS, whose names are no keywords. */
    private boolean isNamedQuery(int i) {
        if (!tokens.is(i - 1, "with") && !tokens.is(i - 1, "recursive") && !tokens.is(i - 1, ',')) {
            return false;
        }
        int column = i + 2;
        while (tokens.isName(column) && tokens.is(column + 1, ',')) {
            column += 2;
        }
        if (!tokens.isName(column) || !tokens.is(column + 1, ')') || !tokens.is(column + 2, "as")) {
            return false;
        }
        int query = column + 3;
        if (tokens.is(query, "not")) {
            query++;
        }
        if (tokens.is(query, "materialized")) {
            query++;
        }
        return tokens.is(query, '(') && beginsQuery(query + 1);
    }

    private boolean beginsQuery(int i) {
        return tokens.is(i, "select")
                || tokens.is(i, "with")
                || tokens.is(i, "table")
                || tokens.is(i, '(')
                || (tokens.is(i, "values") && tokens.is(i + 1, '('))
                || (tokens.is(i, "insert") && tokens.is(i + 1, "into"))
                || (tokens.is(i, "delete") && tokens.is(i + 1, "from"));
    }

    private void call(int start, int i) {
        String name = tokens.text(i);
        if (start < i && (start != i - 2 || !tokens.text(start).equals("pg_catalog"))) {
            findings.pins("a function of another schema");
        } else if (name.equals("set_config")) {
            setConfig(i);
        } else if (name.equals("nextval") || name.equals("setval")) {
            findings.found(Kind.LEAVES, name);
        } else if (PostgresNames.LOCKS.contains(name)) {
            findings.found(Kind.LOCKS, name);
        } else if (!PostgresNames.FUNCTIONS.contains(name)) {
            findings.pins(Findings.isPlain(name) ? "function " + name : "a function");
        }
    }

    /** Its name is a literal, and the last argument is true or false; the value is any expression, looked at as the rest is. */
    private void setConfig(int i) {
        int close = tokens.partner(i + 1);
        boolean forTransaction = tokens.is(close - 1, "true");
        if (tokens.kind(i + 2) == SqlTokens.PLAIN
                && tokens.is(i + 3, ',')
                && close - 2 > i + 3
                && tokens.is(close - 2, ',')
                && (forTransaction || tokens.is(close - 1, "false"))) {
            findings.sets(tokens.text(i + 2), forTransaction);
        } else {
            findings.pins("set_config");
        }
    }

    /** As one operator, or with each single {@code ?} as a parameter and each double one as a sign. */
    static boolean areBuiltIn(String signs) {
        if (PostgresNames.OPERATORS.contains(signs)) {
            return true;
        }
        StringBuilder operator = new StringBuilder();
        for (int i = 0; i < signs.length(); i++) {
            boolean question = signs.charAt(i) == '?';
            if (question && i + 1 < signs.length() && signs.charAt(i + 1) == '?') {
                operator.append('?');
                i++;
            } else if (question) {
                if (!isBuiltIn(operator.toString())) {
                    return false;
                }
                operator.setLength(0);
            } else {
                operator.append(signs.charAt(i));
            }
        }
        return isBuiltIn(operator.toString());
    }

    /** Signs at the end of an operator are those of a number, unless it has one of these. */
    private static boolean isBuiltIn(String operator) {
        int end = operator.length();
        boolean ordinary = operator.chars().noneMatch(c -> "~!@#^&|`?%".indexOf(c) >= 0);
        while (ordinary && end > 1 && (operator.charAt(end - 1) == '+' || operator.charAt(end - 1) == '-')) {
            end--;
        }
        return end == 0 || PostgresNames.OPERATORS.contains(operator.substring(0, end));
    }
}

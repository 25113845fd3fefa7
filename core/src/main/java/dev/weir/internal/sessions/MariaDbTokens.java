package dev.weir.internal.sessions;

/**
 * The tokens of a text as MariaDB's lexer makes them. A text in which the driver, or the server under another {@code sql_mode},
 * would see other tokens is refused, and so is a comment that is run. What stands between double quotes is a name, for {@code
 * ANSI_QUOTES}: no rule takes a name in quotes for a keyword or for a function that is known.
 */
final class MariaDbTokens extends SqlTokens {
    private static final String SIGNS = "()[],;.{}@";
    private static final String OPERATOR_SIGNS = "+-*/<>=~!%^&|:";

    private MariaDbTokens(String sql) {
        super(sql);
    }

    static SqlTokens of(String sql) {
        SqlTokens tokens = new MariaDbTokens(sql);
        tokens.read();
        return tokens;
    }

    @Override
    void next() {
        char c = sql.charAt(at);
        char follows = peek(at + 1);
        if (c == ' ' || (c >= '\t' && c <= '\r')) {
            at++;
        } else if (c == '#') {
            skipLine();
        } else if (c == '-' && follows == '-') {
            skipDashes();
        } else if (c == '/' && follows == '*') {
            skipComment();
        } else if (c == '\'') {
            plain(PLAIN, at);
        } else if (c == '"') {
            plain(NAME, at);
        } else if (c == '`') {
            quotedName('`');
        } else if ("bBxXnN".indexOf(c) >= 0 && follows == '\'') {
            plain(STRING, at + 1);
        } else if (isNameStart(c)) {
            name();
        } else if (isDigit(c) || (c == '.' && isDigit(follows))) {
            numberOrColumn(c);
        } else if (c == '?') {
            parameter(follows);
        } else if (OPERATOR_SIGNS.indexOf(c) >= 0) {
            operator();
        } else if (SIGNS.indexOf(c) >= 0) {
            add((byte) c, at + 1);
        } else {
            refusal = "a character";
        }
    }

    /** Up to the end of the line; a carriage return ends no comment for the server. */
    private void skipLine() {
        while (at < length && sql.charAt(at) != '\n') {
            if (sql.charAt(at) == '\r' && peek(at + 1) != '\n') {
                refusal = "a comment";
                return;
            }
            at++;
        }
    }

    /** To the server a comment begins where a space follows, to the driver in any case. */
    private void skipDashes() {
        char after = peek(at + 2);
        if (at + 2 < length && after != ' ' && after != '\t' && after != '\n' && after != '\r') {
            refusal = "a comment";
        } else {
            skipLine();
        }
    }

    /** These do not nest. What follows /*! or /*M! is run; the driver takes {@code /*}{@code /} for a whole comment. */
    private void skipComment() {
        char after = peek(at + 2);
        int end = sql.indexOf("*/", at + 2);
        if (after == '!' || after == '/' || (after == 'M' && peek(at + 3) == '!')) {
            refusal = "a comment that may be run";
        } else if (end < 0) {
            refusal = "a comment without end";
        } else {
            at = end + 2;
        }
    }

    /** Behind a name and a dot stands a column, of which the name may begin with a digit. */
    private void numberOrColumn(char c) {
        if (c == '.' && isName(count() - 1)) {
            refusal = "a number";
        } else {
            number();
        }
    }

    private void parameter(char follows) {
        if ((at > 0 && isJoined(sql.charAt(at - 1))) || isJoined(follows)) {
            refusal = "a parameter beside a name";
        } else {
            add(PARAMETER, at + 1);
        }
    }

    private void operator() {
        int i = at;
        while (i < length && OPERATOR_SIGNS.indexOf(sql.charAt(i)) >= 0) {
            char c = sql.charAt(i);
            if (i > at && ((c == '-' && peek(i + 1) == '-') || (c == '/' && peek(i + 1) == '*'))) {
                break;
            }
            i++;
        }
        add(OPERATOR, i);
    }
}

package dev.weir.internal.sessions;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The tokens of a text as PostgreSQL's lexer makes them, without comments, and which parentheses belong together. A text that
 * is cut at another place by the driver's lexer, or under another value of {@code standard_conforming_strings}, is refused.
 * Takes time and memory in proportion to the text, whatever is nested in it.
 */
class SqlTokens {
    /** A name without quotes, or a keyword: ASCII alone, so that its case can be ignored. */
    static final byte WORD = 'w';

    /** A name in double quotes, or one with other letters than ASCII's. It is no keyword. */
    static final byte NAME = 'n';

    /** A literal in quotes of any kind. */
    static final byte STRING = 's';

    /** A literal between single quotes, without prefix. */
    static final byte PLAIN = 'p';

    static final byte NUMBER = '1';
    static final byte PARAMETER = '$';

    /** Signs that operators are made of, as many as follow each other; {@code ?} is one of them. */
    static final byte OPERATOR = 'o';

    /** {@code ::}. Other signs are tokens of their own: {@code ( ) [ ] , ; . : { }}. */
    static final byte CAST = 't';

    /** No token: before the first and behind the last. */
    static final byte NONE = 0;

    private static final String SIGNS = "()[],;.:{}";
    private static final String OPERATOR_SIGNS = "+-*/<>=~!@#%^&|`?";

    final String sql;
    final int length;
    private byte[] kinds = new byte[32];
    private int[] starts = new int[32];
    private int[] ends = new int[32];
    private int[] partners = new int[32];
    private int count;
    int at;

    @Nullable
    String refusal;

    SqlTokens(String sql) {
        this.sql = sql;
        this.length = sql.length();
    }

    static SqlTokens of(String sql) {
        SqlTokens tokens = new SqlTokens(sql);
        tokens.read();
        return tokens;
    }

    final void read() {
        while (refusal == null && at < length) {
            next();
        }
        if (refusal == null) {
            pair();
        }
    }

    /** Why the text is not understood; null if it is. Then there are no tokens to ask for. */
    @Nullable
    String refusal() {
        return refusal;
    }

    int count() {
        return count;
    }

    byte kind(int i) {
        return i >= 0 && i < count ? kinds[i] : NONE;
    }

    boolean is(int i, char sign) {
        return kind(i) == sign;
    }

    /** Whether it is this keyword, given in lower case. */
    boolean is(int i, String keyword) {
        return kind(i) == WORD
                && ends[i] - starts[i] == keyword.length()
                && sql.regionMatches(true, starts[i], keyword, 0, keyword.length());
    }

    boolean isName(int i) {
        return kind(i) == WORD || kind(i) == NAME;
    }

    /** Whether it is a name that begins so, whatever its case; the beginning is given in lower case. */
    boolean isNameFrom(int i, String beginning) {
        if (!isName(i)) {
            return false;
        }
        int start = sql.charAt(starts[i]) == '"' ? starts[i] + 1 : starts[i];
        return sql.regionMatches(true, start, beginning, 0, beginning.length());
    }

    /** Whether the next one follows without a space or a comment. */
    boolean touchesNext(int i) {
        return ends[i] == starts[i + 1];
    }

    /** The parenthesis that belongs to this one. */
    int partner(int i) {
        return partners[i];
    }

    /** A name as the server reads it; of other tokens the text. */
    String text(int i) {
        String raw = sql.substring(starts[i], ends[i]);
        if (kinds[i] == WORD) {
            return lower(raw);
        }
        char first = raw.charAt(0);
        if (kinds[i] == PLAIN || (kinds[i] == NAME && (first == '"' || first == '`'))) {
            String quote = String.valueOf(first);
            return raw.substring(1, raw.length() - 1).replace(quote + quote, quote);
        }
        return kinds[i] == NAME ? lower(raw) : raw;
    }

    /** As the server does it: other letters than ASCII's stay, unless its encoding has one byte a letter. */
    static String lower(String name) {
        char[] chars = name.toCharArray();
        for (int i = 0; i < chars.length; i++) {
            if (chars[i] >= 'A' && chars[i] <= 'Z') {
                chars[i] = Character.toLowerCase(chars[i]);
            }
        }
        return new String(chars);
    }

    final char peek(int i) {
        return i < length ? sql.charAt(i) : '\0';
    }

    void next() {
        char c = sql.charAt(at);
        char follows = peek(at + 1);
        if (c == ' ' || (c >= '\t' && c <= '\r')) {
            at++;
        } else if (c == '-' && follows == '-') {
            skipLine();
        } else if (c == '/' && follows == '*') {
            skipComment();
        } else if (c == '\'') {
            plain(PLAIN, at);
        } else if (c == '"') {
            quotedName('"');
        } else if ((c == 'e' || c == 'E') && follows == '\'') {
            escaped();
        } else if ("bBxXnN".indexOf(c) >= 0 && follows == '\'') {
            plain(STRING, at + 1);
        } else if ((c == 'u' || c == 'U') && follows == '&' && (peek(at + 2) == '\'' || peek(at + 2) == '"')) {
            refusal = "U&"; // its escapes may spell any name
        } else if (isNameStart(c)) {
            name();
        } else if (isDigit(c) || (c == '.' && isDigit(follows))) {
            number();
        } else if (c == '$') {
            dollar();
        } else if (c == ':' && follows == ':') {
            add(CAST, at + 2);
        } else if (OPERATOR_SIGNS.indexOf(c) >= 0) {
            operator();
        } else if (SIGNS.indexOf(c) >= 0) {
            add((byte) c, at + 1);
        } else {
            refusal = "a character";
        }
    }

    final void add(byte kind, int end) {
        if (count == kinds.length) {
            int more = count * 2;
            kinds = Arrays.copyOf(kinds, more);
            starts = Arrays.copyOf(starts, more);
            ends = Arrays.copyOf(ends, more);
            partners = Arrays.copyOf(partners, more);
        }
        kinds[count] = kind;
        starts[count] = at;
        ends[count] = end;
        count++;
        at = end;
    }

    private void skipLine() {
        while (at < length && sql.charAt(at) != '\n' && sql.charAt(at) != '\r') {
            at++;
        }
    }

    private void skipComment() {
        if (peek(at + 2) == '/') {
            refusal = "a comment"; // one that the driver takes for a whole comment
            return;
        }
        int depth = 1;
        at += 2;
        while (at < length) {
            char c = sql.charAt(at);
            char follows = peek(at + 1);
            if (c == '/' && follows == '*') {
                depth++;
                at += 2;
            } else if (c == '*' && follows == '/') {
                at += 2;
                if (--depth == 0) {
                    return;
                }
            } else {
                at++;
            }
        }
        refusal = "a comment without end";
    }

    /** Refuses one that ends elsewhere if a backslash escapes. */
    final void plain(byte kind, int quote) {
        char end = sql.charAt(quote);
        boolean escaped = false;
        for (int i = quote + 1; i < length; i++) {
            char c = sql.charAt(i);
            if (c == end) {
                if (escaped) {
                    refusal = "a backslash before a quote";
                    return;
                }
                if (peek(i + 1) != end) {
                    add(kind, i + 1);
                    return;
                }
                i++;
            }
            escaped = c == '\\' && !escaped;
        }
        refusal = "a literal without end";
    }

    /** The driver takes what follows a doubled quote for a literal of its own, in which a backslash escapes nothing. */
    private void escaped() {
        boolean doubled = false;
        for (int i = at + 2; i < length; i++) {
            char c = sql.charAt(i);
            if (c == '\\') {
                i++;
                if (doubled && peek(i) == '\'') {
                    refusal = "a backslash before a quote";
                    return;
                }
            } else if (c == '\'') {
                if (peek(i + 1) != '\'') {
                    add(STRING, i + 1);
                    return;
                }
                doubled = true;
                i++;
            }
        }
        refusal = "a literal without end";
    }

    final void quotedName(char quote) {
        for (int i = at + 1; i < length; i++) {
            if (sql.charAt(i) == quote) {
                if (peek(i + 1) != quote) {
                    add(NAME, i + 1);
                    return;
                }
                i++;
            }
        }
        refusal = "a name without end";
    }

    final void name() {
        int i = at;
        boolean ascii = true;
        while (i < length && isJoined(sql.charAt(i))) {
            ascii &= sql.charAt(i) < 128;
            i++;
        }
        add(ascii ? WORD : NAME, i);
    }

    final void number() {
        int i = at;
        if (peek(i) == '0' && "xXoObB".indexOf(peek(i + 1)) >= 0 && i + 1 < length) {
            i += 2;
            while (i < length && isHex(sql.charAt(i))) {
                i++;
            }
        } else {
            i = afterDigits(i);
            if (peek(i) == '.') {
                i = afterDigits(i + 1);
            }
            if (peek(i) == 'e' || peek(i) == 'E') {
                int sign = peek(i + 1) == '+' || peek(i + 1) == '-' ? 2 : 1;
                i = isDigit(peek(i + sign)) ? afterDigits(i + sign) : i;
            }
        }
        if (isJunk(i)) {
            return;
        }
        add(NUMBER, i);
    }

    /** Versions read differently what follows a number at once, and so does the driver. */
    private boolean isJunk(int i) {
        char c = peek(i);
        if (i < length && (isJoined(c) || c == '.')) {
            refusal = "a number";
        }
        return refusal != null;
    }

    private int afterDigits(int i) {
        int end = i;
        while (end < length && (isDigit(sql.charAt(end)) || sql.charAt(end) == '_')) {
            end++;
        }
        return end;
    }

    private void dollar() {
        int i = at + 1;
        if (isDigit(peek(i))) {
            while (isDigit(peek(i))) {
                i++;
            }
            if (!isJunk(i)) {
                add(PARAMETER, i);
            }
            return;
        }
        if (i < length && isNameStart(sql.charAt(i))) {
            while (i < length && isNamePart(sql.charAt(i))) {
                i++;
            }
        }
        if (peek(i) != '$') {
            refusal = "a dollar sign";
            return;
        }
        String tag = sql.substring(at, i + 1);
        int end = sql.indexOf(tag, i + 1);
        if (end < 0) {
            refusal = "a literal without end";
        } else {
            add(STRING, end + tag.length());
        }
    }

    /** A comment may begin between its signs. The driver puts {@code $1} for a {@code ?}, also beside a name: another name. */
    private void operator() {
        int i = at;
        while (i < length && OPERATOR_SIGNS.indexOf(sql.charAt(i)) >= 0) {
            char c = sql.charAt(i);
            if ((c == '-' && peek(i + 1) == '-') || (c == '/' && peek(i + 1) == '*')) {
                break;
            }
            i++;
        }
        boolean joins = (sql.charAt(at) == '?' && at > 0 && isJoined(sql.charAt(at - 1)))
                || (sql.charAt(i - 1) == '?' && i < length && isJoined(sql.charAt(i)));
        if (joins) {
            refusal = "a parameter beside a name";
            return;
        }
        add(OPERATOR, i);
    }

    private void pair() {
        int open = -1; // each open one keeps the one that it is in
        for (int i = 0; i < count; i++) {
            if (is(i, '(')) {
                partners[i] = open;
                open = i;
            } else if (is(i, ')')) {
                if (open < 0) {
                    refusal = "parentheses";
                    return;
                }
                int outer = partners[open];
                partners[open] = i;
                partners[i] = open;
                open = outer;
            } else if (is(i, ';') && open >= 0) {
                refusal = "parentheses";
                return;
            }
        }
        if (open >= 0) {
            refusal = "parentheses";
        }
    }

    static boolean isDigit(char c) {
        return c >= '0' && c <= '9';
    }

    static boolean isHex(char c) {
        return isDigit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F') || c == '_';
    }

    static boolean isNameStart(char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c >= 128;
    }

    static boolean isJoined(char c) {
        return isNamePart(c) || c == '$';
    }

    private static boolean isNamePart(char c) {
        return isNameStart(c) || isDigit(c);
    }
}

package dev.weir.internal.text;

import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * SQL as it may be shown to others: on one line, cut, with {@code ?} for each literal, and without comments.
 *
 * <p>One pass from left to right, linear in the text that is kept. Nobody tells it whose SQL it reads, and databases do not
 * agree where a literal ends: a backslash escapes a quote in MySQL, not in standard SQL; {@code #} begins a comment in
 * MySQL, is an operator in PostgreSQL and part of a name in Oracle. So it goes on only while every database reads the text
 * alike. From the first place where they differ, and from the start of a literal that does not end (the text may be cut),
 * all the rest is one {@code ?}. Text between double quotes is a name in standard SQL but a string in MySQL: it
 * counts as a literal.
 */
public final class SqlText {
    /** So many characters of a text are kept and looked at; a text that has as many counts as cut. */
    public static final int KEPT = 1_000;

    /** So many characters are shown. */
    static final int SHOWN = 200;

    /** The words after the brace of a JDBC escape; other braces may be comments, as in Informix. */
    private static final Set<String> ESCAPES = Set.of("call", "fn", "d", "t", "ts", "oj", "escape", "limit");

    private final String text;
    private final boolean cut;
    private final StringBuilder out = new StringBuilder();
    private int at;
    private boolean spaceDue;

    /** In brackets: a name in SQL Server, an index in PostgreSQL. */
    private boolean bracketed;

    private SqlText(String text) {
        this.text = text;
        this.cut = text.length() >= KEPT;
    }

    /** The kept part of a text: at most {@link #KEPT} characters of it. */
    public static @Nullable String cut(@Nullable String sql) {
        return sql == null || sql.length() <= KEPT ? sql : sql.substring(0, KEPT);
    }

    /** This text, or what is kept of it, without literals and comments; {@code ...} at its end if it was cut. */
    public static String withoutLiterals(String sql) {
        return new SqlText(sql.length() <= KEPT ? sql : sql.substring(0, KEPT)).scan();
    }

    /** At most {@link #SHOWN} characters of a text without literals. */
    public static String shortened(String clean) {
        if (clean.length() <= SHOWN) {
            return clean;
        }
        int end = Character.isHighSurrogate(clean.charAt(SHOWN - 1)) ? SHOWN - 1 : SHOWN;
        return clean.substring(0, end) + "...";
    }

    private String scan() {
        boolean clear = true;
        while (clear && at < text.length()) {
            clear = token(text.charAt(at));
        }
        if (!clear) {
            emit("?");
        }
        return cut ? out.append("...").toString() : out.toString();
    }

    /** Takes the token that begins here; false if databases do not agree what it is, or where it ends. */
    private boolean token(char c) {
        if (Character.isWhitespace(c) || Character.isISOControl(c)) {
            spaceDue = true;
            at++;
            return true;
        }
        if (Character.isDigit(c) || (c == '.' && Character.isDigit(peek(1)))) {
            return number();
        }
        if (isWordPart(c) && c != '$') {
            return word();
        }
        return switch (c) {
            case '\'', '"' -> quoted(c);
            case '`' -> backquoted();
            case '-' -> peek(1) == '-' ? lineComment() : plain(c);
            case '/' -> peek(1) == '*' ? blockComment() : peek(1) != '/' && plain(c);
            case '$' -> Character.isDigit(peek(1)) && plain(c); // $1; else it may begin a string in dollars
            case '{' -> isEscape() && plain(c);
            case '[', ']' -> bracket(c);
            case '#', '\\' -> false;
            default -> plain(c);
        };
    }

    private boolean plain(char c) {
        emit(c < 128 ? String.valueOf(c) : "?");
        at++;
        return true;
    }

    private void emit(String shown) {
        if (spaceDue && out.length() > 0) {
            out.append(' ');
        }
        spaceDue = false;
        out.append(shown);
    }

    /** The character that is so far ahead; 0 beyond the end. */
    private char peek(int ahead) {
        return at + ahead < text.length() ? text.charAt(at + ahead) : 0;
    }

    private static boolean isWordPart(char c) {
        return c == '_' || c == '$' || Character.isUnicodeIdentifierPart(c) || Character.isSurrogate(c);
    }

    private int endOfWord(int from) {
        int end = from;
        while (end < text.length() && isWordPart(text.charAt(end))) {
            end++;
        }
        return end;
    }

    /** A name or a keyword, or the letter before a literal: {@code N'...'}, {@code x'...'}, {@code _utf8'...'}. */
    private boolean word() {
        int end = endOfWord(at);
        String word = text.substring(at, end);
        boolean beforeQuote = end < text.length() && text.charAt(end) == '\'';
        if (cut && end == text.length()) {
            return false; // part of a word
        }
        if (beforeQuote && (word.equalsIgnoreCase("q") || word.equalsIgnoreCase("nq"))) {
            return false; // Oracle's q'[...]', which ends where no other string does
        }
        at = end;
        if (!beforeQuote || (word.length() > 1 && word.charAt(0) != '_')) {
            emit(word);
        }
        boolean password = word.equalsIgnoreCase("identified"); // IDENTIFIED BY takes one without quotes in Oracle
        spaceDue |= password;
        return !password;
    }

    /** Decimal, hexadecimal, with a point or an exponent; the sign before it is an operator. */
    private boolean number() {
        boolean decimal = peek(0) != '0' || Character.isDigit(peek(1)) || peek(1) == '.';
        int end = at;
        while (end < text.length()) {
            char c = text.charAt(end);
            boolean sign = (c == '+' || c == '-')
                    && decimal
                    && (text.charAt(end - 1) | 0x20) == 'e'
                    && end + 1 < text.length()
                    && Character.isDigit(text.charAt(end + 1));
            if (c == '$' || !(sign || c == '.' || isWordPart(c))) {
                break;
            }
            end++;
        }
        at = end;
        emit("?");
        return true;
    }

    /** Doubled quotes are part of it everywhere; a quote after a backslash ends it in some databases only. */
    private boolean quoted(char quote) {
        if (bracketed || (peek(1) == quote && peek(2) == quote)) {
            return false; // three quotes begin a string of its own kind in some databases
        }
        int backslashes = 0;
        for (int i = at + 1; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == quote && backslashes % 2 == 1) {
                return false;
            }
            if (c == quote && (i + 1 == text.length() || text.charAt(i + 1) != quote)) {
                at = i + 1;
                emit("?");
                return true;
            }
            i += c == quote ? 1 : 0;
            backslashes = c == '\\' ? backslashes + 1 : 0;
        }
        return false;
    }

    /** A name in MySQL. The character is an operator in PostgreSQL, so only what is plain in both is taken. */
    private boolean backquoted() {
        int end = at + 1;
        while (end < text.length() && (isWordPart(text.charAt(end)) || joinsNames(end))) {
            end++;
        }
        boolean isName = end < text.length() && text.charAt(end) == '`' && Character.isLetter(peek(1));
        if (!isName || bracketed) {
            return false;
        }
        emit(text.substring(at, end + 1));
        at = end + 1;
        return true;
    }

    private boolean joinsNames(int index) {
        char c = text.charAt(index);
        return (c == '-' || c == '.') && index + 1 < text.length() && Character.isLetter(text.charAt(index + 1));
    }

    private boolean lineComment() {
        char after = peek(2);
        if (bracketed || !(after == 0 || after == ' ' || after == '\t' || after == '\n' || after == '\r')) {
            return false; // without a space two signs in MySQL
        }
        int i = at + 2;
        while (i < text.length() && text.charAt(i) != '\n') {
            char c = text.charAt(i);
            boolean endsLineForSome = c == '\r' ? i + 1 == text.length() || text.charAt(i + 1) != '\n' : isBreak(c);
            if (endsLineForSome) {
                return false;
            }
            i++;
        }
        at = i;
        spaceDue = true;
        return true;
    }

    private static boolean isBreak(char c) {
        return (Character.isISOControl(c) && c != '\t') || c == '\u2028' || c == '\u2029';
    }

    /** Some databases nest comments, some run what stands in those that begin with an exclamation mark. */
    private boolean blockComment() {
        int end = text.indexOf("*/", at + 2);
        int nested = text.indexOf("/*", at + 2);
        boolean runs = peek(2) == '!' || peek(3) == '!';
        if (bracketed || runs || end < 0 || (nested >= 0 && nested < end + 1)) {
            return false;
        }
        at = end + 2;
        spaceDue = true;
        return true;
    }

    private boolean isEscape() {
        int start = at + 1;
        while (start < text.length() && Character.isWhitespace(text.charAt(start))) {
            start++;
        }
        if (start < text.length() && text.charAt(start) == '?') {
            return true;
        }
        return ESCAPES.contains(text.substring(start, endOfWord(start)).toLowerCase(Locale.ROOT));
    }

    /** Two closing brackets do not close a name in SQL Server. */
    private boolean bracket(char c) {
        if (c == ']' && peek(1) == ']') {
            bracketed = true;
            emit("]");
            at++;
        } else {
            bracketed = c == '[';
        }
        return plain(c);
    }
}

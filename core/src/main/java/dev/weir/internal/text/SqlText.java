package dev.weir.internal.text;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * SQL as it may be shown to others: on one line, up to its first string literal or comment, with {@code ?} for each number.
 *
 * <p>Databases do not agree where a literal ends: a backslash escapes a quote in MySQL, not in standard SQL; {@code #} begins
 * a comment in MySQL, is an operator in PostgreSQL and part of a name in Oracle. So the text ends, with {@code ...}, at
 * the first character that any database takes for the beginning of a literal or a comment; text between double quotes is
 * a literal in MySQL. A comment at the very beginning is left out.
 */
public final class SqlText {
    /** So many characters of a text are kept and looked at; a text that has as many counts as cut. */
    public static final int KEPT = 1_000;

    /** So many characters are shown. */
    static final int SHOWN = 200;

    private static final Pattern BLANK = Pattern.compile("[\\s\\p{Cc}]++");

    /** Without a mark that makes MySQL run it, and without signs that make some databases nest it. */
    private static final Pattern COMMENTS_BEFORE = Pattern.compile("(?:/\\*[^*/!]*+\\*/ ?)++");

    /** The text that every database reads alike: words, operators, parameters, names in MySQL's quotes, JDBC's {@code {call}}. */
    private static final Pattern PLAIN = Pattern.compile(
            "(?:[\\p{L}\\p{N}\\p{M}_ !%&()*+,.:;<=>?@\\[\\]^|}~]++"
                    + "|-(?!-)|/(?![*/])|(?<=\\w)\\$(?!\\$)|\\$(?=\\p{N})|`\\p{L}[\\p{L}\\p{N}_.-]*+`|\\{(?= ?(\\? ?= ?)?call\\b))*+");

    private static final Pattern NUMBER = Pattern.compile("(?<![\\p{L}\\p{N}\\p{M}_])\\p{N}[\\p{L}\\p{N}\\p{M}_.]*+");

    /** Oracle takes a password without quotes after it. */
    private static final Pattern PASSWORD_FOLLOWS = Pattern.compile("(?i)\\bidentified\\b");

    private SqlText() {}

    /** The kept part of a text: at most {@link #KEPT} characters of it. */
    public static @Nullable String cut(@Nullable String sql) {
        return sql == null || sql.length() <= KEPT ? sql : sql.substring(0, KEPT);
    }

    /** This text, or what is kept of it, without literals and comments; {@code ...} at its end if that is not all of it. */
    public static String withoutLiterals(String sql) {
        boolean cut = sql.length() >= KEPT;
        String kept = cut ? Redactor.withoutLastWord(sql.substring(0, KEPT)) : sql;
        String line = BLANK.matcher(kept).replaceAll(" ").strip();
        Matcher comments = COMMENTS_BEFORE.matcher(line);
        String sqlAlone = comments.lookingAt() ? line.substring(comments.end()) : line;
        Matcher plain = PLAIN.matcher(sqlAlone);
        String shown = plain.lookingAt() ? plain.group() : "";
        Matcher password = PASSWORD_FOLLOWS.matcher(shown);
        if (password.find()) {
            shown = shown.substring(0, password.end()) + " ";
        }
        boolean whole = !cut && shown.length() == sqlAlone.length();
        return NUMBER.matcher(shown).replaceAll("?") + (whole ? "" : "...");
    }

    /** At most {@link #SHOWN} characters of a text without literals. */
    public static String shortened(String clean) {
        if (clean.length() <= SHOWN) {
            return clean;
        }
        int end = Character.isHighSurrogate(clean.charAt(SHOWN - 1)) ? SHOWN - 1 : SHOWN;
        return clean.substring(0, end) + "...";
    }
}

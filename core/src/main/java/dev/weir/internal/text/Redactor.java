package dev.weir.internal.text;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Takes secrets out of text that is logged, thrown or shown: parameters that are secret by name, and known values. In
 * time linear in the text.
 */
public final class Redactor {
    public static final String MASK = "***";

    /** So many characters of a text are looked at and shown. */
    public static final int LONGEST = 4_000;

    private static final Pattern SECRET_NAME = Pattern.compile(
            "^pass$|password|passwd|passphrase|passcode|pwd|secret|token|credential|jwt"
                    + "|(api|private|access)[_-]?key|(encryption|crypt)_?key|(hex|client|pvt)key",
            Pattern.CASE_INSENSITIVE);

    private static final String JDBC = "jdbc:";

    private Redactor() {}

    /** Whether a property of this name holds something that must not be shown. */
    public static boolean isSecretName(String name) {
        return SECRET_NAME.matcher(name).find();
    }

    /** Whether this says yes or no, and so is no secret, unless its name says that it is one. */
    static boolean isTruth(String value) {
        return value.equalsIgnoreCase("true") || value.equalsIgnoreCase("false");
    }

    /** A URL of a database, which need not be a right one, with the parameters alone that are known to be harmless. */
    public static String redactUrl(String url) {
        return JdbcUrl.masked(url);
    }

    /** The secrets that {@link #redactUrl} takes out of this URL, to be taken out of other texts too. */
    public static List<String> secretsOf(String url) {
        return JdbcUrl.secrets(url);
    }

    /** Whether a property of a driver may be shown: it is known to be harmless, or says yes or no. */
    public static boolean isShown(String name, Object value) {
        String text = value.toString();
        boolean harmless = HarmlessNames.contains(name) && !HarmlessNames.hasLogin(text);
        return !isSecretName(name) && (harmless || isTruth(text));
    }

    /** The value of a property of a driver as it may be shown. */
    public static String shownProperty(String name, Object value) {
        String text = value.toString();
        if (text.regionMatches(true, 0, JDBC, 0, JDBC.length())) {
            return redactUrl(text);
        }
        return isShown(name, value) ? redact(text) : MASK;
    }

    /** As {@link #redact(String, List, String)}, without known secrets. */
    public static String redact(String text) {
        return redact(text, List.of(), null);
    }

    /**
     * This text, cut at {@link #LONGEST}, without these secrets and those that are known by the place they stand in.
     *
     * @param url may be quoted in it
     */
    public static String redact(String text, List<String> secrets, @Nullable String url) {
        boolean cut = text.length() > LONGEST;
        String clean = cut ? text.substring(0, LONGEST) : text;
        if (url != null) {
            clean = clean.replace(url, redactUrl(url));
        }
        for (String secret : secrets) {
            clean = redactSecret(cut ? withoutPartOf(secret, clean) : clean, secret);
        }
        return cut ? redactPlaces(withoutLastWord(clean)) + "..." : redactPlaces(clean);
    }

    private static String redactPlaces(String text) {
        return withoutParameters(withoutUrlsAndUserInfo(text));
    }

    /** Each {@code jdbc:...} in it goes to a space, or to a quote or bracket that closes; the rest may have other URLs. */
    private static String withoutUrlsAndUserInfo(String text) {
        StringBuilder out = new StringBuilder();
        int copied = 0;
        int at = 0;
        while (at < text.length()) {
            if (!text.regionMatches(true, at, JDBC, 0, JDBC.length())) {
                at++;
                continue;
            }
            int end = at;
            int depth = 0;
            while (end < text.length() && !Character.isWhitespace(text.charAt(end))) {
                char c = text.charAt(end);
                if (depth <= 0 && closes(text, end)) {
                    break;
                }
                depth += c == '(' || c == '{' ? 1 : 0;
                depth -= c == ')' || c == '}' ? 1 : 0;
                end++;
            }
            out.append(withoutUserInfo(text.substring(copied, at))).append(redactUrl(text.substring(at, end)));
            copied = end;
            at = end;
        }
        return out.append(withoutUserInfo(text.substring(copied))).toString();
    }

    /** This text, less the end that may be the beginning of a secret. */
    private static String withoutPartOf(String secret, String text) {
        for (int n = Math.min(secret.length() - 1, text.length()); n > 0; n--) {
            if (text.regionMatches(text.length() - n, secret, 0, n)) {
                return text.substring(0, text.length() - n);
            }
        }
        return text;
    }

    /** The word that a cut went through may be part of a URL or of a secret. */
    static String withoutLastWord(String text) {
        int end = text.length();
        while (end > 0 && !Character.isWhitespace(text.charAt(end - 1))) {
            end--;
        }
        return text.substring(0, end);
    }

    /**
     * {@code name=value} up to the end of the parameter, and {@code "name": "value"}. A value in braces or quotes is
     * taken whole, one that does not end to the end of the text.
     */
    private static String withoutParameters(String text) {
        StringBuilder out = new StringBuilder();
        int copied = 0;
        int at = 0;
        while (at < text.length()) {
            if (!isNamePart(text.charAt(at))) {
                at++;
                continue;
            }
            int start = at;
            while (at < text.length() && isNamePart(text.charAt(at))) {
                at++;
            }
            int value = valueAfter(text, at);
            if (value < 0 || !isSecretName(text.substring(start, at))) {
                continue;
            }
            int end = endOfValue(text, value);
            boolean placeholder = end == value + 1 && text.charAt(value) == '?';
            if (end > value && !placeholder) {
                out.append(text, copied, value).append(MASK);
                copied = end;
                at = end;
            }
        }
        return copied == 0 ? text : out.append(text, copied, text.length()).toString();
    }

    private static boolean isNamePart(char c) {
        return (c >= 'a' && c <= 'z')
                || (c >= 'A' && c <= 'Z')
                || (c >= '0' && c <= '9')
                || c == '_'
                || c == '.'
                || c == '-';
    }

    /** Where the value begins of a name that ends here; -1 if none follows. */
    private static int valueAfter(String text, int endOfName) {
        boolean quoted = endOfName < text.length() && isQuote(text.charAt(endOfName));
        int at = skipSpace(text, quoted ? endOfName + 1 : endOfName);
        if (at == text.length() || !(text.charAt(at) == '=' || (quoted && text.charAt(at) == ':'))) {
            return -1;
        }
        return skipSpace(text, at + 1);
    }

    private static int skipSpace(String text, int from) {
        int at = from;
        while (at < text.length() && Character.isWhitespace(text.charAt(at))) {
            at++;
        }
        return at;
    }

    private static boolean isQuote(char c) {
        return c == '\'' || c == '"';
    }

    private static int endOfValue(String text, int start) {
        if (start == text.length()) {
            return start;
        }
        char first = text.charAt(start);
        if (first == '{' || isQuote(first)) {
            return endOfQuoted(text, start + 1, first == '{' ? '}' : first);
        }
        int end = start;
        while (end < text.length() && !endsValue(text, end)) {
            end++;
        }
        return end;
    }

    /** A closing character that is doubled, or stands after a backslash, is part of the value. */
    static int endOfQuoted(String text, int from, char close) {
        for (int i = from; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '\\') {
                i++;
            } else if (c == close && (i + 1 == text.length() || text.charAt(i + 1) != close)) {
                return i + 1;
            } else if (c == close) {
                i++;
            }
        }
        return text.length();
    }

    /** A quote or a bracket ends a value only where something else ends too: a password may have one in it. */
    private static boolean endsValue(String text, int at) {
        char c = text.charAt(at);
        return c == '&' || c == ';' || Character.isWhitespace(c) || closes(text, at);
    }

    private static boolean closes(String text, int at) {
        char c = text.charAt(at);
        return (isQuote(c) || c == ')' || c == ']')
                && (at + 1 == text.length()
                        || Character.isWhitespace(text.charAt(at + 1))
                        || ",;.:)]}'\"&".indexOf(text.charAt(at + 1)) >= 0);
    }

    /** {@code //user:secret@host}: the secret ends at the last @ before a slash, for it may have one in it. */
    private static String withoutUserInfo(String text) {
        StringBuilder out = new StringBuilder();
        int copied = 0;
        for (int at = text.indexOf("//"); at >= 0; at = text.indexOf("//", at)) {
            at += 2;
            while (at < text.length() && !isAny(text.charAt(at), "/:@")) {
                at++;
            }
            if (at == text.length() || text.charAt(at) != ':') {
                continue;
            }
            int secret = at + 1;
            int end = -1;
            while (at < text.length() && !isAny(text.charAt(at), "/")) {
                end = text.charAt(at) == '@' ? at : end;
                at++;
            }
            if (end > secret) {
                out.append(text, copied, secret).append(MASK);
                copied = end;
            }
        }
        return copied == 0 ? text : out.append(text, copied, text.length()).toString();
    }

    private static boolean isAny(char c, String ends) {
        return Character.isWhitespace(c) || ends.indexOf(c) >= 0;
    }

    /**
     * This text without this secret, as it is and as it is written in a URL. A secret of one to three characters is
     * taken out only where it stands alone, or a password {@code a} would make every message unreadable.
     */
    public static String redactSecret(String text, String secret) {
        if (secret.isEmpty()) {
            return text;
        }
        if (secret.length() < 4) {
            Pattern alone = Pattern.compile("(?<![\\p{L}\\p{N}_])" + Pattern.quote(secret) + "(?![\\p{L}\\p{N}_])");
            return alone.matcher(text).replaceAll(Matcher.quoteReplacement(MASK));
        }
        String encoded = URLEncoder.encode(secret, StandardCharsets.UTF_8);
        return text.replace(secret, MASK).replace(encoded, MASK).replace(encoded.replace("+", "%20"), MASK);
    }
}

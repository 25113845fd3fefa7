package dev.weir.internal.text;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * A JDBC URL as it may be shown: with the values of those parameters alone that are known to be harmless.
 *
 * <p>Drivers do not agree where a parameter begins and ends ({@code ?a=b&c=d}, {@code ;a=b;c=d}, {@code :a=b;},
 * {@code (a=b)(c=d)}, {@code a=b,c=d}), and a password may have any of these characters in it. So a value that is shown ends at
 * the first character that any driver takes for the end of one, a value that is masked at the one that this URL separates its
 * parameters by, and what is then left over is masked too. One pass, linear in the length.
 */
final class JdbcUrl {
    private static final String DELIMITERS = "?&;,()[]{}#/:";

    /** A value that is shown goes on over these and over letters and digits. */
    private static final String SHOWN = "_.-:/\\%+*~|@$,";

    private final String url;
    private final StringBuilder out = new StringBuilder();
    private final List<String> secrets = new ArrayList<>();

    /** The separator of the parameters: one of {@code & ; , )}; 0 as long as it is not known. */
    private char separator;

    private int at;

    private JdbcUrl(String url) {
        this.url = url;
        login();
        head();
        while (at < url.length()) {
            next();
        }
    }

    /** This URL, without secrets. */
    static String masked(String url) {
        return new JdbcUrl(url).out.toString();
    }

    /** The parts of this URL that are masked and long enough to be known again elsewhere, also as it is without its encoding. */
    static List<String> secrets(String url) {
        return new JdbcUrl(url).secrets;
    }

    // The login, and what is before the parameters.

    private int indexOf(String any, int from) {
        int i = from;
        while (i < url.length() && any.indexOf(url.charAt(i)) < 0) {
            i++;
        }
        return i;
    }

    /** {@code //user:secret@host}, {@code thin:user/secret@host}: the secret may have any character in it. */
    private void login() {
        int parameters = firstParameter();
        int slashes = url.indexOf("//");
        int first = url.indexOf('@');
        // At Oracle they may be in the secret before the @.
        if (slashes >= 0 && (first < 0 || slashes < first) && !isOracle()) {
            int user = slashes + 2;
            int colon = url.indexOf(':', user);
            int sign = url.lastIndexOf('@', parameters - 1);
            if (colon >= 0 && colon < sign) {
                mask(colon + 1, sign);
            } else if (colon >= 0 && colon < parameters && sign < user && hidesLogin(user, parameters)) {
                mask(colon + 1, url.length());
            }
        } else if (first > 0 && url.charAt(first - 1) != ':') {
            int bracket = url.indexOf('(');
            int sign = isOracle()
                    ? url.lastIndexOf('@', bracket < 0 ? url.length() : bracket)
                    : url.lastIndexOf('@', parameters - 1);
            int driver = url.indexOf(':', url.indexOf(':') + 1) + 1;
            int slash = url.indexOf('/', driver);
            int secret = slash >= 0 && slash < sign ? slash : url.indexOf(':', driver);
            if (secret >= 0 && secret < sign && !(isOracle() && secret != slash)) {
                mask(secret + 1, sign);
            }
        } else if (first < 0 && isOracle() && url.indexOf('/') >= 0) {
            mask(url.indexOf('/') + 1, url.length());
        }
    }

    /** Where the parameters begin: at the first separator, or at a name that drivers know; a login is before them. */
    private int firstParameter() {
        int end = indexOf("?;", 0);
        int name = 0;
        for (int i = 0; i < end; i++) {
            char c = url.charAt(i);
            if (c == '=' && isKnown(url.substring(name, i))) {
                return name;
            }
            name = isNamePart(c) ? name : i + 1;
        }
        return end;
    }

    private static boolean isKnown(String name) {
        return HarmlessNames.contains(name) || Redactor.isSecretName(name);
    }

    /** Whether a secret goes on behind what seems to be the beginning of the parameters. */
    private boolean hidesLogin(int user, int parameters) {
        return url.indexOf('@', parameters) >= 0 && (isNoPort(user) || isNoParameter(parameters + 1));
    }

    private boolean isOracle() {
        return url.regionMatches(true, 0, "jdbc:oracle:", 0, "jdbc:oracle:".length());
    }

    /**
     * Whether the text from here to a slash has a port that is no number: a user and the beginning of a secret, then.
     */
    private boolean isNoPort(int authority) {
        int i = indexOf("]/?;", authority);
        i = i < url.length() && url.charAt(i) == ']' ? i : authority; // IPv6
        int end = indexOf("/?;", i);
        for (int colon = url.indexOf(':', i); colon >= 0 && colon < end; colon = url.indexOf(':', colon + 1)) {
            int port = colon + 1;
            while (port < end && Character.isDigit(url.charAt(port))) {
                port++;
            }
            if (port < end && url.charAt(port) != ',') {
                return true;
            }
        }
        return false;
    }

    /** Whether an @ comes here before the sign that makes a parameter: this is none, but part of a secret. */
    private boolean isNoParameter(int from) {
        int end = indexOf("=&;@", from);
        return end < url.length() && url.charAt(end) == '@';
    }

    /** Masks this part of the login, and goes on behind it. */
    private void mask(int from, int to) {
        out.append(url, at, from);
        at = to;
        if (to > from) {
            out.append(Redactor.MASK);
            keep(url.substring(from, to), true);
        }
    }

    private void keep(String secret, boolean named) {
        int last = secret.length() - 1;
        int quote = "{\"'".indexOf(secret.charAt(0));
        boolean quoted = quote >= 0 && last > 0 && secret.charAt(last) == "}\"'".charAt(quote);
        String bare = quoted ? secret.substring(1, last) : secret;
        if (bare.length()
                >= (named ? 1 : 8)) { // a value that is no secret by its name may be a word of every other message
            secrets.add(bare);
            String decoded = decoded(bare);
            if (!decoded.equals(bare)) {
                secrets.add(decoded);
            }
        }
    }

    private static String decoded(String text) {
        try {
            return URLDecoder.decode(text, StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            return text;
        }
    }

    /** Up to the parameters: driver, hosts, database. */
    private void head() {
        int end = indexOf("?;(", at);
        int equals = url.indexOf('=', at);
        if (equals >= 0 && equals < end) {
            end = equals;
            while (end > at && isNamePart(url.charAt(end - 1))) {
                end--;
            }
            char before = end > 0 ? url.charAt(end - 1) : ':';
            boolean commas = url.regionMatches(true, 0, "jdbc:teradata:", 0, "jdbc:teradata:".length());
            separator = commas && before == '/' ? ',' : ';';
        }
        out.append(url, at, end);
        at = end;
    }

    // The parameters.

    private static boolean isNamePart(char c) {
        return Character.isLetterOrDigit(c) || c == '_' || c == '.' || c == '-';
    }

    private static boolean isName(String text) {
        boolean name = text.length() <= 64;
        for (int i = 0; i < text.length(); i++) {
            name &= isNamePart(text.charAt(i));
        }
        return name;
    }

    private void next() {
        char c = url.charAt(at);
        if (DELIMITERS.indexOf(c) >= 0 || Character.isWhitespace(c)) {
            delimiter(c);
            return;
        }
        int end = at;
        while (end < url.length() && url.charAt(end) != '=' && !isEnd(url.charAt(end))) {
            end++;
        }
        if (end < url.length() && url.charAt(end) == '=') {
            parameter(url.substring(at, end), end + 1);
        } else if (at > 1 && url.startsWith(")/", at - 2)) { // the database, behind hosts in brackets
            out.append(url, at, end);
            at = end;
        } else {
            out.append(Redactor.MASK);
            keep(url.substring(at, end), false);
            at = end;
        }
    }

    private static boolean isEnd(char c) {
        return DELIMITERS.indexOf(c) >= 0 || Character.isWhitespace(c);
    }

    private void delimiter(char c) {
        if (c == '?' && separator != ';') {
            separator = '&';
        } else if (c == ';' && separator != '&') {
            separator = ';';
        } else if (c == '(' && separator != '&') {
            separator = ')';
        }
        out.append(c);
        at++;
    }

    private void parameter(String name, int value) {
        boolean named = isName(name);
        out.append(named ? name : Redactor.MASK).append('=');
        at = value;
        boolean secretly = Redactor.isSecretName(name);
        int shown = endOfShown(value);
        boolean harmless =
                !secretly && HarmlessNames.contains(name) && !HarmlessNames.hasLogin(url.substring(value, shown));
        int end = harmless ? shown : endOfMasked(value);
        if (harmless || (!secretly && Redactor.isTruth(url.substring(value, end)))) {
            out.append(url, value, end);
        } else if (end > value) {
            out.append(Redactor.MASK);
            keep(url.substring(value, end), secretly);
        }
        at = end;
    }

    private int endOfShown(int from) {
        boolean commas = separator == ',' || separator == ')';
        int end = from;
        while (end < url.length()) {
            char c = url.charAt(end);
            if (!Character.isLetterOrDigit(c) && (SHOWN.indexOf(c) < 0 || (c == ',' && commas))) {
                break;
            }
            end++;
        }
        return end;
    }

    /** A value in braces or quotes is taken whole, and what follows it up to the separator. */
    private int endOfMasked(int from) {
        int i = from;
        if (i < url.length() && "{\"'".indexOf(url.charAt(i)) >= 0) {
            i = endOfQuoted(i);
        }
        String hosts = isOracle() ? ")" : "),?"; // a comma of Oracle's may be in a wallet: data:;base64,...
        String ends = separator == ')' ? hosts : String.valueOf(separator == 0 ? '&' : separator);
        return indexOf(ends, i);
    }

    private int endOfQuoted(int from) {
        int i = from + 1;
        while (i < url.length() && Character.isWhitespace(url.charAt(i))) {
            i++;
        }
        boolean json = url.charAt(from) == '{' && i < url.length() && url.charAt(i) == '"';
        return json
                ? endOfJson(from)
                : Redactor.endOfQuoted(url, from + 1, url.charAt(from) == '{' ? '}' : url.charAt(from));
    }

    private int endOfJson(int from) {
        int depth = 0;
        boolean quoted = false;
        for (int i = from; i < url.length(); i++) {
            char c = url.charAt(i);
            if (c == '\\') {
                i++;
            } else if (c == '"') {
                quoted = !quoted;
            } else if (!quoted && c == '{') {
                depth++;
            } else if (!quoted && c == '}' && --depth == 0) {
                return i + 1;
            }
        }
        return url.length();
    }
}

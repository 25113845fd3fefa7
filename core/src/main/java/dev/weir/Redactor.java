package dev.weir;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Takes secrets out of text that is logged, thrown or shown: parameters that are secret by name, and known values. */
final class Redactor {
    static final String MASK = "***";

    private static final String SECRET_WORDS =
            "password|passwd|passphrase|pwd|secret|token|credential|api_?key|private_?key|access_?key";
    private static final Pattern SECRET_NAME = Pattern.compile("(?i).*(?:" + SECRET_WORDS + ").*");

    /** {@code name=value} up to the end of the parameter; a value in braces or quotes is taken whole. */
    private static final Pattern PARAMETER = Pattern.compile("(?i)([\\w.\\-]*(?:" + SECRET_WORDS
            + ")[\\w.\\-]*\\s*=\\s*)" + "(?:\\{[^}]*}|'[^']*'|\"[^\"]*\"|[^&;\\s)\\]'\"]+)");

    /** {@code //user:secret@host}: the secret ends at the last @ before a slash, for it may have one in it. */
    private static final Pattern USER_INFO = Pattern.compile("(//[^/\\s:@]*:)[^/\\s]+(@)");

    /** {@code jdbc:oracle:thin:user/secret@host}. */
    private static final Pattern ORACLE = Pattern.compile("(?i)(jdbc:oracle:\\w+:[^/\\s@]*/)[^/\\s@][^\\s@]*(@)");

    private Redactor() {}

    /** Whether a property of this name holds something that must not be shown. */
    static boolean isSecretName(String name) {
        return SECRET_NAME.matcher(name).matches()
                || name.toLowerCase(Locale.ROOT).equals("pass");
    }

    /** This text without secrets that are known by the place they stand in. */
    static String redactUrl(String text) {
        String clean = PARAMETER.matcher(text).replaceAll("$1" + Matcher.quoteReplacement(MASK));
        clean = USER_INFO.matcher(clean).replaceAll("$1" + Matcher.quoteReplacement(MASK) + "$2");
        return ORACLE.matcher(clean).replaceAll("$1" + Matcher.quoteReplacement(MASK) + "$2");
    }

    /**
     * This text without this secret, as it is and as it is written in a URL. A secret of one to three characters is taken
     * out only where it stands alone, or a password {@code a} would make every message unreadable.
     */
    static String redactSecret(String text, String secret) {
        if (secret.isEmpty()) {
            return text;
        }
        if (secret.length() < 4) {
            Pattern alone = Pattern.compile("(?<![\\p{L}\\p{N}_])" + Pattern.quote(secret) + "(?![\\p{L}\\p{N}_])");
            return alone.matcher(text).replaceAll(Matcher.quoteReplacement(MASK));
        }
        return text.replace(secret, MASK).replace(URLEncoder.encode(secret, StandardCharsets.UTF_8), MASK);
    }
}

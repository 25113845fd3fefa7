package dev.weir.lab.report;

import com.samskivert.mustache.Escapers;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Text as HTML that breaks its lines where a reader expects it: between words, in long ones after a comma, slash or dot. */
final class Wrap {
    private static final int LONG = 12;

    /** Browsers break lines after a hyphen, of which options and dates have some. */
    private static final Pattern WHOLE = Pattern.compile("-{1,2}[a-z][a-z-]*|[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.Z+-]+");

    /** Not after the slash that begins a path, nor within a number. */
    private static final Pattern AFTER_MARK =
            Pattern.compile("(?<=[^ ,/$'][,/$&?;])(?=.)|(?<=[A-Za-z][.])(?=[A-Za-z])");

    private Wrap() {}

    static String html(String text) {
        return Pattern.compile(" ").splitAsStream(text).map(Wrap::word).collect(Collectors.joining(" "));
    }

    private static String word(String word) {
        if (WHOLE.matcher(word).matches()) {
            return "<span class=\"whole\">" + word + "</span>";
        }
        return word.length() <= LONG
                ? Escapers.HTML.escape(word)
                : AFTER_MARK.splitAsStream(word).map(Escapers.HTML::escape).collect(Collectors.joining("<wbr>"));
    }
}

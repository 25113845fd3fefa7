package dev.weir.lab.report;

import com.samskivert.mustache.Escapers;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Text as HTML that breaks its lines where a reader expects it: between words, in long ones after a comma, dot or slash. */
final class Wrap {
    private static final int LONG = 12;
    private static final Pattern OPTION = Pattern.compile("-{1,2}[a-z][a-z-]*");
    private static final Pattern AFTER_MARK = Pattern.compile("(?<=[,./:$])(?=.)");

    private Wrap() {}

    static String html(String text) {
        return Pattern.compile(" ").splitAsStream(text).map(Wrap::word).collect(Collectors.joining(" "));
    }

    private static String word(String word) {
        if (OPTION.matcher(word).matches()) {
            // Browsers break lines after a hyphen, of which an option has two at its beginning.
            return "<span class=\"option\">" + word + "</span>";
        }
        return word.length() <= LONG
                ? Escapers.HTML.escape(word)
                : AFTER_MARK.splitAsStream(word).map(Escapers.HTML::escape).collect(Collectors.joining("<wbr>"));
    }
}

package dev.weir.rewrite;

import org.openrewrite.Tree;
import org.openrewrite.marker.SearchResult;

/** What the recipe leaves to a person, as a comment in front of it; comments of an earlier run go before new ones are written. */
final class Mark {
    private static final String BEGIN = "Weir, to do: ";

    private Mark() {}

    /** Marks what has comments of its own kind: Java, Kotlin, Groovy, XML. */
    static <T extends Tree> T at(T tree, String why) {
        return SearchResult.found(tree, BEGIN + why);
    }

    /** The text of a comment in YAML and properties. */
    static String comment(String why) {
        return " " + BEGIN + why;
    }

    /** Whether a comment with this text, without its delimiters, was written by an earlier run. */
    static boolean isOne(String text) {
        return text.startsWith("~~(" + BEGIN) || text.startsWith(" " + BEGIN);
    }

    /** A text without the comments of an earlier run. */
    static String without(String text) {
        return text.replaceAll("~~\\(" + BEGIN + ".*?\\)~~>", "");
    }
}

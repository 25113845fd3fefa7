package dev.weir.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What the guide shows is what these tests run. */
class GuideTest {
    private static final Path MODULE =
            Path.of(System.getProperty("basedir", "")).toAbsolutePath();
    private static final Path GUIDE = MODULE.getParent().getParent().resolve("docs");
    private static final List<String> PAGES = List.of(
            "start/plain-java.md",
            "start/frameworks.md",
            "start/from-hikaricp.md",
            "start/quartz.md",
            "how-to/fleet.md",
            "how-to/fleet-database.md");
    /** What a file of src/test/resources/snippets is written in, by its ending. */
    private static final Map<String, String> LANGUAGES = Map.of("xml", "xml", "clj", "clojure", "sql", "sql");

    private static final Pattern SNIPPET =
            Pattern.compile("(?s)[ ]*// snippet:([a-z-]+)\\n(.*?)\\n[ ]*// snippet:end\\n");
    private static final Pattern SHOWN =
            Pattern.compile("(?s)(<!-- snippet:([a-z-]+) -->\\n).*?(<!-- snippet:end -->)");

    @Test
    void everySnippetIsTheTestedOneAndEveryTestedOneIsShown() throws IOException {
        Map<String, String> tested = tested();
        List<String> shown = new ArrayList<>();
        for (String page : PAGES) {
            Path file = GUIDE.resolve(page);
            String text = Files.readString(file);
            SHOWN.matcher(text).results().map(match -> match.group(2)).forEach(shown::add);
            String expected = SHOWN.matcher(text)
                    .replaceAll(match -> Matcher.quoteReplacement(
                            match.group(1) + tested.getOrDefault(match.group(2), "") + match.group(3)));
            if (Boolean.getBoolean("weir.docs.update")) {
                Files.writeString(file, expected);
            }
            assertThat(file)
                    .as("run with -Dweir.docs.update=true to rewrite it")
                    .content()
                    .isEqualTo(expected);
        }
        assertThat(shown).containsExactlyInAnyOrderElementsOf(tested.keySet());
    }

    private static Map<String, String> tested() throws IOException {
        Map<String, String> snippets = new TreeMap<>();
        for (Path source : sources()) {
            String language = source.toString().endsWith(".kt") ? "kotlin" : "java";
            for (MatchResult match :
                    SNIPPET.matcher(Files.readString(source)).results().toList()) {
                String before = snippets.put(
                        match.group(1), "```" + language + "\n" + match.group(2).stripIndent() + "\n```\n");
                assertThat(before).as(match.group(1)).isNull();
            }
        }
        try (Stream<Path> files = Files.list(MODULE.resolve("src/test/resources/snippets"))) {
            for (Path file : files.toList()) {
                addFile(snippets, "", file);
            }
        }
        addFile(snippets, "fleet-", MODULE.resolve("../fleet/src/main/resources/dev/weir/fleet/schema/postgresql.sql"));
        return snippets;
    }

    private static void addFile(Map<String, String> snippets, String prefix, Path file) throws IOException {
        String[] name = file.getFileName().toString().split("\\.", 2);
        snippets.put(prefix + name[0], "```" + LANGUAGES.get(name[1]) + "\n" + Files.readString(file) + "```\n");
    }

    private static List<Path> sources() throws IOException {
        List<Path> sources = new ArrayList<>();
        for (String folder :
                List.of("src/test/java", "../examples-kotlin/src/test/kotlin", "../helidon-4-tests/src/test/java")) {
            try (Stream<Path> files = Files.walk(MODULE.resolve(folder))) {
                files.filter(file -> file.toString().matches(".*Test\\.(java|kt)"))
                        .filter(file -> !file.endsWith("GuideTest.java"))
                        .forEach(sources::add);
            }
        }
        return sources;
    }
}

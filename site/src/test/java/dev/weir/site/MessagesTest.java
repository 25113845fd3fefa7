package dev.weir.site;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** P8: the guide says what each message means that the pool logs or throws. */
class MessagesTest {
    private static final Path CORE =
            Path.of(System.getProperty("basedir", "")).toAbsolutePath().resolveSibling("core");
    private static final Path SOURCES = CORE.resolve("src/main/java/dev/weir");
    private static final Path GUIDE = CORE.resolveSibling("docs/reference/messages.md");

    private static final Pattern BEGINNING = Pattern.compile(
            "Log\\.log\\(|new (?:SQL\\w*|IllegalState)Exception\\(|(?<!SQLException )transientFailure\\(|String message =");
    private static final Pattern LITERAL = Pattern.compile("\"((?:[^\"\\\\]|\\\\.)*)\"");

    /** What a message is filled with, and the quotes around it. */
    private static final Pattern FILLED = Pattern.compile("\\{\\d}|'");

    /** Not for operators: they cannot come about but by a defect or by reflection, or stand in for a message of their own. */
    private static final List<String> INTERNAL = List.of("this JDK is older than JDBC 4.5", "threw nothing");

    /** The longest constant part of each message: what tells it from others. */
    private static List<String> messages() throws IOException {
        List<String> messages = new ArrayList<>();
        try (Stream<Path> files = Files.walk(SOURCES)) {
            for (Path file :
                    files.filter(path -> path.toString().endsWith(".java")).toList()) {
                String source = Files.readString(file);
                for (MatchResult beginning : BEGINNING.matcher(source).results().toList()) {
                    String statement = source.substring(beginning.end(), source.indexOf(";\n", beginning.end()));
                    LITERAL.matcher(statement)
                            .results()
                            .map(literal -> literal.group(1))
                            .flatMap(text -> Arrays.stream(FILLED.split(text)))
                            .map(String::strip)
                            .max(Comparator.comparingInt(String::length))
                            .filter(text -> text.contains(" "))
                            .ifPresent(messages::add);
                }
            }
        }
        return messages;
    }

    @Test
    void theGuideHasEachMessage() throws IOException {
        String guide = Files.readString(GUIDE);
        List<String> messages = messages();
        assertThat(messages).hasSizeGreaterThan(40);
        assertThat(messages).filteredOn(message -> !INTERNAL.contains(message)).allSatisfy(message -> {
            String plain = message.replaceAll("^[:;,(] *|[:;,(]$", "").strip();
            assertThat(guide.contains(plain)).as("'%s' in %s", plain, GUIDE).isTrue();
        });
    }
}

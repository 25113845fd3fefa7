package dev.weir.release;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** README and guide name artifacts that are published, in the version of the newest section of the changelog. */
class VersionsDocTest {
    private static final String ARTIFACT = "weir(?:-[a-z0-9]+)*";
    private static final List<Pattern> COORDINATES = List.of(
            Pattern.compile("dev\\.weir:(" + ARTIFACT + ")(?::([0-9][^\\s:`\")]*))?"),
            Pattern.compile("\"dev\\.weir\" % \"(" + ARTIFACT + ")\" % \"([^\"]*)\""),
            Pattern.compile("<artifactId>(" + ARTIFACT + ")</artifactId>(?:\\s*<version>(.*?)</version>)?"),
            Pattern.compile("\\b(" + ARTIFACT + ")-([0-9]+\\.[0-9]+\\.[0-9]+(?:-SNAPSHOT)?)(?:-all)?\\.jar"));
    private static final Pattern RELEASE = Pattern.compile("(?m)^## ([0-9]+\\.[0-9]+\\.[0-9]+) - ");

    private static Stream<Path> pages() throws Exception {
        try (Stream<Path> guide = Files.walk(Module.ROOT.resolve("docs"))) {
            return Stream.concat(Stream.of(Module.ROOT.resolve("README.md")), guide.toList().stream())
                    .filter(page -> page.toString().endsWith(".md"));
        }
    }

    private static String newestRelease() throws Exception {
        return RELEASE.matcher(Files.readString(Module.ROOT.resolve("CHANGELOG.md")))
                .results()
                .map(found -> found.group(1))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void pagesNameWhatIsPublishedInTheNewestVersion() throws Exception {
        String newest = newestRelease();
        Set<String> published = Module.published().stream().map(Module::name).collect(Collectors.toSet());
        List<String> wrong = new ArrayList<>();
        int named = 0;
        for (Path page : pages().toList()) {
            String text = Files.readString(page);
            for (Pattern pattern : COORDINATES) {
                for (MatchResult found : pattern.matcher(text).results().toList()) {
                    named++;
                    boolean known =
                            published.contains(found.group(1)) || found.group(1).equals("weir-cli");
                    if (!known || (found.group(2) != null && !found.group(2).equals(newest))) {
                        wrong.add(Module.ROOT.relativize(page) + ": " + found.group());
                    }
                }
            }
        }
        assertThat(wrong)
                .as("%s is the newest, published are %s", newest, published)
                .isEmpty();
        assertThat(named).isGreaterThan(20);
    }

    @Test
    void theChangelogHasASectionForThisBuild() throws Exception {
        String version = Module.all().get(0).version();
        if (version.endsWith("-SNAPSHOT")) {
            assertThat(Files.readString(Module.ROOT.resolve("CHANGELOG.md")))
                    .containsPattern("(?m)^## (Unreleased|" + Pattern.quote(version.replace("-SNAPSHOT", "")) + " - )");
        } else {
            assertThat(version).isEqualTo(newestRelease());
        }
    }
}

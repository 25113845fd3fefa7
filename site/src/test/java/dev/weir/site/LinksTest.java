package dev.weir.site;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * Every relative link of every page leads to a file that is there, and to a heading of it where it names one; and so does
 * every page that a source names.
 */
class LinksTest {
    private static final Path ROOT =
            Path.of(System.getProperty("basedir", "")).toAbsolutePath().getParent();
    private static final Pattern LINK = Pattern.compile("\\]\\(([^)\\s]+)\\)");
    private static final Pattern CODE = Pattern.compile("(?ms)^```.*?^```|^    .*?$|`[^`\\n]+`");
    private static final Pattern PAGE = Pattern.compile("\\bdocs/[\\w/.-]+\\.md\\b");
    private static final Pattern HEADING = Pattern.compile("(?m)^#+ +(.+)$");

    @Test
    void everyRelativeLinkResolves() throws IOException {
        List<String> broken = new ArrayList<>();
        int checked = 0;
        for (Path page : filesThatEndWith(".md")) {
            String text = CODE.matcher(Files.readString(page)).replaceAll("");
            for (MatchResult found : LINK.matcher(text).results().toList()) {
                String link = found.group(1);
                if (!link.matches("[a-z]+:.*")) {
                    checked++;
                    if (!resolves(page, link)) {
                        broken.add(ROOT.relativize(page) + ": " + link);
                    }
                }
            }
        }
        assertThat(broken).isEmpty();
        assertThat(checked).isGreaterThan(50);
    }

    @Test
    void everyPageThatASourceNamesIsThere() throws IOException {
        List<String> gone = new ArrayList<>();
        int checked = 0;
        for (Path source : filesThatEndWith(".java", ".kt", "pom.xml")) {
            for (MatchResult named :
                    PAGE.matcher(Files.readString(source)).results().toList()) {
                checked++;
                if (!Files.isRegularFile(ROOT.resolve(named.group()))) {
                    gone.add(ROOT.relativize(source) + ": " + named.group());
                }
            }
        }
        assertThat(gone).isEmpty();
        assertThat(checked).isGreaterThan(10);
    }

    private static List<Path> filesThatEndWith(String... endings) throws IOException {
        List<Path> files = new ArrayList<>();
        Files.walkFileTree(ROOT, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) {
                String name = folder.getFileName().toString();
                boolean ours = folder.equals(ROOT)
                        || !(name.startsWith(".")
                                || name.equals("target")
                                || folder.endsWith(Path.of("lab", "results")));
                return ours ? FileVisitResult.CONTINUE : FileVisitResult.SKIP_SUBTREE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                if (Arrays.stream(endings).anyMatch(file.toString()::endsWith)) {
                    files.add(file);
                }
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFileFailed(Path file, IOException e) {
                return FileVisitResult.CONTINUE; // another build removed it just now
            }
        });
        return files;
    }

    private static boolean resolves(Path page, String link) throws IOException {
        String[] parts = link.split("#", 2);
        Path target = parts[0].isEmpty() ? page : page.resolveSibling(parts[0]);
        if (parts.length == 1 || !target.toString().endsWith(".md")) {
            return Files.exists(target);
        }
        return Files.isRegularFile(target) && anchors(target).contains(parts[1]);
    }

    /** The anchors that a Markdown renderer gives to the headings of a page. */
    private static Set<String> anchors(Path page) throws IOException {
        Set<String> anchors = new HashSet<>();
        HEADING.matcher(Files.readString(page))
                .results()
                .map(heading -> heading.group(1).strip().toLowerCase(Locale.ROOT))
                .map(heading -> heading.replaceAll("[^\\p{L}\\p{N} _-]", "").replace(' ', '-'))
                .forEach(anchors::add);
        return anchors;
    }
}

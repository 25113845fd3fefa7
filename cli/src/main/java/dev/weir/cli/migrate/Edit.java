package dev.weir.cli.migrate;

import java.io.IOException;
import java.io.StringReader;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.TreeMap;
import java.util.function.BiPredicate;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.nodes.MappingNode;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.NodeTuple;
import org.yaml.snakeyaml.nodes.ScalarNode;
import org.yaml.snakeyaml.nodes.SequenceNode;

/**
 * The file itself with Weir's lines in the place of the other pool's; all other lines, comments among them, stay as they are.
 * The result is read again, and refused if it says anything else than the file and the translation do.
 */
final class Edit {
    private final ConfigFile file;
    private final Migration migration;
    private final BiPredicate<String, Map<String, String>> isReplaced;
    private final String newline;
    private final List<String> lines;
    private final Charset charset;
    private final List<Cut> cuts = new ArrayList<>();

    /**
     * Lines from the first to before the last that go, with the document they are of, and the keys that stand around them; without
     * a line: a place behind one that stays, as it says what it is to say.
     */
    private record Cut(int from, int to, int document, String indent, String parent) {}

    /** Reads the lines; they are as the configuration was read from them. */
    Edit(Path path, ConfigFile file, Migration migration, BiPredicate<String, Map<String, String>> isReplaced)
            throws IOException {
        this.file = file;
        this.migration = migration;
        this.isReplaced = isReplaced;
        this.charset = file.yaml() ? StandardCharsets.UTF_8 : StandardCharsets.ISO_8859_1;
        String text = Files.readString(path, charset);
        this.newline = text.contains("\r\n") ? "\r\n" : "\n";
        this.lines = text.lines().toList();
    }

    /** The lines before. */
    List<String> before() {
        return lines;
    }

    void write(Path path, List<String> after) throws IOException {
        Files.writeString(path, String.join(newline, after) + newline, charset);
    }

    /** Returns the lines after, or null if they cannot be had by exchanging lines. */
    @Nullable
    List<String> after() {
        if (file.yaml()) {
            cutYaml();
        } else {
            cutProperties();
        }
        Map<Cut, Map<String, String>> instead = new LinkedHashMap<>();
        cuts.forEach(cut -> instead.put(cut, new LinkedHashMap<>()));
        for (Migration.Document document : migration.documents) {
            for (Map.Entry<String, String> value : document.values().entrySet()) {
                if (isUnchanged(value.getKey(), document.source())) {
                    continue;
                }
                Cut place = placeOf(value.getKey(), document.source());
                if (place == null) {
                    return null;
                }
                Objects.requireNonNull(instead.get(place)).put(value.getKey(), value.getValue());
            }
        }
        List<String> after = new ArrayList<>(lines);
        for (int i = cuts.size() - 1; i >= 0; i--) {
            Cut cut = cuts.get(i);
            List<String> place = after.subList(cut.from(), cut.to());
            List<String> written = new ArrayList<>(place.stream()
                    .filter(line -> line.stripLeading().startsWith("#"))
                    .toList());
            written.addAll(written(Objects.requireNonNull(instead.get(cut)), cut));
            place.clear();
            place.addAll(written);
        }
        return saysTheSame(after) ? after : null;
    }

    /** Where a key goes: the first of the places that go, below as much of its path as possible. */
    private @Nullable Cut placeOf(String key, int document) {
        Cut best = null;
        for (Cut cut : cuts) {
            if (cut.document() == document
                    && key.startsWith(cut.parent())
                    && (best == null || cut.parent().length() > best.parent().length())) {
                best = cut;
            }
        }
        return best;
    }

    /** Whether the line of this key says already what it is to say. */
    private boolean isUnchanged(String key, int source) {
        String value = file.documents().get(source).get(key);
        return value != null
                && migration.documents.stream()
                        .anyMatch(document -> document.source() == source
                                && value.equals(document.values().get(key)));
    }

    private boolean isCut(String key, int document) {
        return isReplaced.test(key, file.documents().get(document)) && !isUnchanged(key, document);
    }

    private List<String> written(Map<String, String> values, Cut cut) {
        if (values.isEmpty()) {
            return List.of();
        }
        if (!file.yaml()) {
            return Writer.asProperties(values).lines().toList();
        }
        Map<String, String> relative = new LinkedHashMap<>();
        values.forEach((key, value) -> relative.put(key.substring(cut.parent().length()), value));
        return Writer.asYaml(relative).lines().map(line -> cut.indent() + line).toList();
    }

    private boolean saysTheSame(List<String> after) {
        List<Map<String, String>> expected = new ArrayList<>();
        for (int i = 0; i < file.documents().size(); i++) {
            Map<String, String> document = file.documents().get(i);
            Map<String, String> one = new TreeMap<>(document);
            one.keySet().removeIf(key -> isReplaced.test(key, document));
            for (Migration.Document result : migration.documents) {
                if (result.source() == i) {
                    one.putAll(result.values());
                }
            }
            expected.add(one);
        }
        try {
            byte[] bytes = (String.join("\n", after) + "\n").getBytes(charset);
            List<Map<String, String>> real =
                    ConfigFile.read("after", bytes, file.yaml()).documents();
            expected.removeIf(Map::isEmpty);
            return real.stream().filter(one -> !one.isEmpty()).toList().equals(expected);
        } catch (IOException e) {
            return false;
        }
    }

    private void cutProperties() {
        int document = 0;
        for (int i = 0; i < lines.size(); i++) {
            String line = lines.get(i).stripLeading();
            if (line.startsWith("#---") || line.startsWith("!---")) {
                document++;
            }
            if (line.isEmpty() || line.startsWith("#") || line.startsWith("!")) {
                continue;
            }
            int from = i;
            while (isContinued(lines.get(i)) && i + 1 < lines.size()) {
                i++;
            }
            String key = keyOf(String.join("\n", lines.subList(from, i + 1)));
            if (document < file.documents().size()
                    && isReplaced.test(key, file.documents().get(document))) {
                cuts.add(new Cut(isCut(key, document) ? from : i + 1, i + 1, document, "", ""));
            }
        }
    }

    private static boolean isContinued(String line) {
        int end = line.length();
        while (end > 0 && line.charAt(end - 1) == '\\') {
            end--;
        }
        return (line.length() - end) % 2 == 1;
    }

    private static String keyOf(String line) {
        Properties one = new Properties();
        try {
            one.load(new StringReader(line));
        } catch (IOException e) {
            throw new IllegalStateException(e); // a StringReader does not fail
        }
        return one.stringPropertyNames().stream().findFirst().orElse("");
    }

    private void cutYaml() {
        int document = 0;
        for (Node node : new Yaml(new LoaderOptions()).composeAll(new StringReader(String.join("\n", lines) + "\n"))) {
            if (node instanceof MappingNode mapping
                    && document < file.documents().size()) {
                cutYaml(mapping, "", document);
                document++;
            }
        }
    }

    private void cutYaml(MappingNode mapping, String parent, int document) {
        for (NodeTuple entry : mapping.getValue()) {
            if (!(entry.getKeyNode() instanceof ScalarNode key)) {
                continue;
            }
            String path = parent + key.getValue();
            List<String> leaves = new ArrayList<>();
            leaves(entry.getValueNode(), path, leaves);
            long cut = leaves.stream().filter(leaf -> isCut(leaf, document)).count();
            long ours = leaves.stream()
                    .filter(leaf -> isReplaced.test(leaf, file.documents().get(document)))
                    .count();
            boolean isMixed = ours > 0 && cut < leaves.size() && (cut > 0 || ours < leaves.size());
            int from = key.getStartMark().getLine();
            String before = lines.get(from).substring(0, key.getStartMark().getColumn());
            if (isMixed && entry.getValueNode() instanceof MappingNode inner) {
                cutYaml(inner, path + ".", document);
            } else if (ours > 0 && before.isBlank()) {
                int end = end(entry.getValueNode(), from);
                cuts.add(new Cut(cut > 0 ? from : end, end, document, before, parent));
            } // else it shares its line with another one, and the result will not say the same
        }
    }

    /** The line after the last one of a value; a block ends before the next token, which may stand behind comments. */
    private int end(Node value, int from) {
        int end = value.getEndMark().getLine() + (value.getEndMark().getColumn() > 0 ? 1 : 0);
        if (value instanceof ScalarNode || value instanceof SequenceNode) {
            return Math.max(end, from + 1);
        }
        end = Math.min(value.getEndMark().getLine(), lines.size());
        if (value.getStartMark().getLine() == value.getEndMark().getLine()) {
            return from + 1; // {a: b}
        }
        while (end > from + 1 && isBlankOrComment(lines.get(end - 1))) {
            end--;
        }
        return end;
    }

    private static boolean isBlankOrComment(String line) {
        return line.isBlank() || line.stripLeading().startsWith("#");
    }

    private static void leaves(Node node, String path, List<String> leaves) {
        if (node instanceof MappingNode mapping && !mapping.getValue().isEmpty()) {
            for (NodeTuple entry : mapping.getValue()) {
                if (entry.getKeyNode() instanceof ScalarNode key) {
                    String name = key.getValue();
                    leaves(entry.getValueNode(), name.startsWith("[") ? path + name : path + "." + name, leaves);
                }
            }
        } else {
            leaves.add(path);
        }
    }
}

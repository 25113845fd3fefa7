package dev.weir.cli.migrate;

import java.io.IOException;
import java.io.StringReader;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BiFunction;
import java.util.function.BiPredicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.DumperOptions;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.nodes.MappingNode;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.NodeTuple;
import org.yaml.snakeyaml.nodes.ScalarNode;
import org.yaml.snakeyaml.nodes.SequenceNode;

/**
 * The file itself with Weir's names and values in the place of the other pool's, each where it stood. All else stays as it is:
 * other lines, the order, comments on lines of their own and at the end of others. The result is read again, and refused if it
 * says anything else than the file and the translation do.
 */
final class Edit {
    private static final String BYTE_ORDER_MARK = "\uFEFF";

    /** The name of a property, and what stands between it and its value. */
    private static final Pattern NAME = Pattern.compile("^\\s*((?:\\\\.|[^\\\\=:\\s])+)(\\s*[=:]?\\s*)");

    private final ConfigFile file;
    private final Migration migration;
    private final BiPredicate<String, Map<String, String>> isReplaced;
    private final BiFunction<String, Map<String, String>, Group.@Nullable Key> owner;
    private final String mark;
    private final String newline;
    private final List<String> lines;
    private final Charset charset;

    /** The changes within lines: by line, the column where each begins. */
    private final Map<Integer, TreeMap<Integer, Token>> tokens = new TreeMap<>();

    private final BitSet removed = new BitSet();
    private final Map<Integer, List<String>> added = new TreeMap<>();
    private final List<Place> places = new ArrayList<>();

    /** The keys of the result that stand somewhere, by document. */
    private final Map<Integer, Set<String>> done = new TreeMap<>();

    private boolean isFailed;

    /** Up to this column of a line other text takes its place. */
    private record Token(int end, String text) {}

    /** Behind this line more keys can be written that begin with the parent, in a document; with dots if the one there has them. */
    private record Place(int document, String parent, String indent, int line, boolean isDotted) {}

    /** Reads the lines; they are as the configuration was read from them. */
    Edit(
            Path path,
            ConfigFile file,
            Migration migration,
            BiPredicate<String, Map<String, String>> isReplaced,
            BiFunction<String, Map<String, String>, Group.@Nullable Key> owner)
            throws IOException {
        this.file = file;
        this.migration = migration;
        this.isReplaced = isReplaced;
        this.owner = owner;
        this.charset = file.yaml() ? StandardCharsets.UTF_8 : StandardCharsets.ISO_8859_1;
        String text = Files.readString(path, charset);
        this.mark = text.startsWith(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK : "";
        this.newline = text.contains("\r\n") ? "\r\n" : "\n";
        this.lines = text.substring(mark.length()).lines().toList();
    }

    /** The lines before. */
    List<String> before() {
        return lines;
    }

    void write(Path path, List<String> after) throws IOException {
        Files.writeString(path, mark + String.join(newline, after) + newline, charset);
    }

    /** Returns the lines after, or null if they cannot be had by changes of lines. */
    @Nullable
    List<String> after() {
        if (file.yaml()) {
            yaml();
        } else {
            properties();
        }
        addRest();
        List<String> after = new ArrayList<>();
        for (int i = 0; i < lines.size(); i++) {
            if (!removed.get(i)) {
                after.add(edited(i));
            }
            after.addAll(added.getOrDefault(i, List.of()));
        }
        return !isFailed && saysTheSame(after) ? after : null;
    }

    private String edited(int line) {
        StringBuilder text = new StringBuilder(lines.get(line));
        tokens.getOrDefault(line, new TreeMap<>())
                .descendingMap()
                .forEach((start, token) -> text.replace(start, token.end(), token.text()));
        return text.toString();
    }

    /** The values of the result for a document. */
    private Map<String, String> result(int document) {
        Map<String, String> all = new TreeMap<>();
        migration.documents.stream().filter(one -> one.source() == document).forEach(one -> all.putAll(one.values()));
        return all;
    }

    /** The key that takes the place of this one, or null if it goes; each once. */
    private @Nullable String replacement(String key, int document) {
        Map<String, String> result = result(document);
        Group.Key found = owner.apply(key, file.documents().get(document));
        if (found == null) {
            return result.containsKey(key) && done(document).add(key) ? key : null;
        }
        for (String setting : Translation.settings(found.group().pool(), found.name())) {
            String now = found.group().keyOf(setting);
            if (result.containsKey(now) && done(document).add(now)) {
                return now;
            }
        }
        return null;
    }

    private Set<String> done(int document) {
        return done.computeIfAbsent(document, none -> new HashSet<>());
    }

    /** What has no line yet goes behind those of its pool. */
    private void addRest() {
        for (int i = 0; i < file.documents().size(); i++) {
            Map<Place, Map<String, String>> rest = new LinkedHashMap<>();
            int document = i;
            result(document).forEach((key, value) -> {
                boolean isThere = value.equals(file.documents().get(document).get(key));
                if (isThere || done(document).contains(key)) {
                    return;
                }
                Place best = null;
                for (Place place : places) {
                    if (place.document() == document
                            && key.startsWith(place.parent())
                            && (best == null
                                    || place.parent().length() >= best.parent().length())) {
                        best = place;
                    }
                }
                if (best == null) {
                    isFailed = true;
                } else {
                    rest.computeIfAbsent(best, none -> new LinkedHashMap<>()).put(key, value);
                }
            });
            rest.forEach((place, values) -> added.computeIfAbsent(place.line(), none -> new ArrayList<>())
                    .addAll(written(values, place)));
        }
    }

    private List<String> written(Map<String, String> values, Place place) {
        if (!file.yaml()) {
            return Writer.asProperties(values).lines().toList();
        }
        Map<String, String> relative = new LinkedHashMap<>();
        values.forEach((key, value) -> relative.put(key.substring(place.parent().length()), value));
        if (place.isDotted()) {
            List<String> written = new ArrayList<>();
            relative.forEach((key, value) ->
                    written.add(place.indent() + Writer.scalar(key, true) + ": " + Writer.scalar(value, false)));
            return written;
        }
        return Writer.asYaml(relative)
                .lines()
                .map(line -> place.indent() + line)
                .toList();
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

    // ------------------------------------------------------- properties

    private void properties() {
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
                places.add(new Place(document, "", "", i, true));
                property(key, from, i, document);
            }
        }
    }

    private void property(String key, int from, int last, int document) {
        String now = replacement(key, document);
        if (now == null) {
            removed.set(from, last + 1);
            return;
        }
        String value = Objects.requireNonNull(result(document).get(now));
        Matcher name = NAME.matcher(lines.get(from));
        boolean isAlike = name.find() && keyOf(name.group(1)).equals(key);
        if (isAlike && value.equals(file.documents().get(document).get(key))) {
            if (!now.equals(key)) {
                token(from, name.start(1), name.end(1), Writer.name(now));
            }
            return;
        }
        removed.set(from + 1, last + 1);
        String written = Writer.asProperties(Map.of(now, value)).strip();
        if (isAlike) {
            String text = Writer.name(now);
            written = text + name.group(2) + written.substring(text.length() + 1);
        }
        token(from, isAlike ? name.start(1) : 0, lines.get(from).length(), written);
    }

    private void token(int line, int start, int end, String text) {
        tokens.computeIfAbsent(line, none -> new TreeMap<>()).put(start, new Token(end, text));
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

    // ------------------------------------------------------- YAML

    private void yaml() {
        int document = 0;
        for (Node node : new Yaml(new LoaderOptions()).composeAll(new StringReader(String.join("\n", lines) + "\n"))) {
            if (node instanceof MappingNode mapping
                    && document < file.documents().size()) {
                mapping(mapping, "", "", document);
                document++;
            }
        }
    }

    private void mapping(MappingNode mapping, String before, String after, int document) {
        for (NodeTuple entry : mapping.getValue()) {
            if (!(entry.getKeyNode() instanceof ScalarNode key)) {
                continue;
            }
            String path = joined(before, key.getValue());
            List<String> ours = new ArrayList<>();
            int leaves = leaves(entry.getValueNode(), path, document, ours);
            if (ours.isEmpty()) {
                continue;
            }
            int from = key.getStartMark().getLine();
            String indent = lines.get(from).substring(0, key.getStartMark().getColumn());
            boolean isAlone = mapping.getFlowStyle() != DumperOptions.FlowStyle.FLOW && indent.isBlank();
            int end = end(entry.getValueNode(), from);
            if (entry.getValueNode() instanceof MappingNode below
                    && !below.getValue().isEmpty()) {
                inner(key, below, new Inner(path, after, document, ours, leaves, from, end, isAlone));
            } else {
                leaf(key, entry.getValueNode(), path, after, document, from, end, isAlone);
            }
            if (isAlone) {
                places.add(new Place(
                        document, after, indent, end - 1, key.getValue().contains(".")));
            }
        }
    }

    /** A mapping in a mapping, with the keys below it that are replaced, of all that are. */
    private record Inner(
            String path,
            String after,
            int document,
            List<String> ours,
            int leaves,
            int from,
            int end,
            boolean isAlone) {}

    private void inner(ScalarNode key, MappingNode value, Inner inner) {
        Group.Key found = owner.apply(inner.ours().get(0), file.documents().get(inner.document()));
        Group group = found == null ? null : found.group();
        boolean isPools = group != null && inner.path().equals(group.where());
        boolean isDrivers = group != null && inner.path().startsWith(group.where() + ".");
        String now = group == null
                ? joined(inner.after(), key.getValue())
                : isPools ? group.weirs() : isDrivers ? group.driversOf() : joined(inner.after(), key.getValue());
        Map<String, String> result = result(inner.document());
        boolean isEmpty = inner.ours().size() == inner.leaves()
                && result.keySet().stream().noneMatch(one -> one.startsWith(now + ".") || one.startsWith(now + "["));
        if (isEmpty) {
            remove(inner.from(), inner.end(), inner.isAlone());
            return;
        }
        rename(key, now, inner.after());
        mapping(value, inner.path() + ".", now + (now.isEmpty() ? "" : "."), inner.document());
        boolean isBlock = value.getFlowStyle() != DumperOptions.FlowStyle.FLOW;
        if (isPools && isBlock) {
            int column = value.getValue().get(0).getKeyNode().getStartMark().getColumn();
            places.add(new Place(inner.document(), now + ".", " ".repeat(column), inner.end() - 1, false));
        }
    }

    private void leaf(
            ScalarNode key, Node value, String path, String after, int document, int from, int end, boolean isAlone) {
        String now = replacement(path, document);
        if (now == null) {
            remove(from, end, isAlone);
            return;
        }
        rename(key, now, after);
        String text = Objects.requireNonNull(result(document).get(now));
        if (text.equals(file.documents().get(document).get(path))) {
            return;
        }
        int line = value.getStartMark().getLine();
        if (value instanceof ScalarNode && line == value.getEndMark().getLine()) {
            token(line, value.getStartMark().getColumn(), value.getEndMark().getColumn(), Writer.scalar(text, false));
        } else {
            isFailed = true;
        }
    }

    private void rename(ScalarNode key, String path, String after) {
        String parent = after.isEmpty() || !path.startsWith("[", after.length() - 1)
                ? after
                : after.substring(0, after.length() - 1);
        if (!path.startsWith(parent)) {
            isFailed = true;
            return;
        }
        String name = path.substring(parent.length());
        if (!name.equals(key.getValue())) {
            int line = key.getStartMark().getLine();
            token(line, key.getStartMark().getColumn(), key.getEndMark().getColumn(), Writer.scalar(name, true));
        }
    }

    private void remove(int from, int end, boolean isAlone) {
        removed.set(from, end);
        isFailed |= !isAlone; // it shares its line with another one
    }

    private static String joined(String parent, String name) {
        return name.startsWith("[") && parent.endsWith(".")
                ? parent.substring(0, parent.length() - 1) + name
                : parent + name;
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

    /** Counts the keys below, and collects those that are replaced. */
    private int leaves(Node node, String path, int document, List<String> ours) {
        if (node instanceof MappingNode mapping && !mapping.getValue().isEmpty()) {
            int count = 0;
            for (NodeTuple entry : mapping.getValue()) {
                count += entry.getKeyNode() instanceof ScalarNode key
                        ? leaves(entry.getValueNode(), joined(path + ".", key.getValue()), document, ours)
                        : 1;
            }
            return count;
        }
        if (isReplaced.test(path, file.documents().get(document))) {
            ours.add(path);
        }
        return 1;
    }
}

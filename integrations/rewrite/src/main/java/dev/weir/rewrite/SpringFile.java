package dev.weir.rewrite;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.openrewrite.SourceFile;
import org.openrewrite.Tree;
import org.openrewrite.internal.ListUtils;
import org.openrewrite.marker.Markers;
import org.openrewrite.properties.tree.Properties;
import org.openrewrite.yaml.YamlIsoVisitor;
import org.openrewrite.yaml.tree.Yaml;

/**
 * One file of Spring Boot's configuration: its keys of HikariCP, by document. What counts for a size is all files of a module
 * together: a profile's value is put over that of the file for all profiles.
 */
final class SpringFile {
    private static final String PREFIX = "spring.datasource.hikari";
    private static final String OTHER_FILE =
            "the key is HikariCP's, and this recipe does not know when this file is read:"
                    + " spring.datasource.weir, ./weir migrate translates the file";
    private static final String SIZE = "maximum-pool-size";
    private static final Pattern NAME = Pattern.compile("(?:application|bootstrap)(-[^/]+)?\\.(?:ya?ml|properties)");
    private static final Pattern SET = Pattern.compile("(?:(.*)/)?src/([^/]+)/.*");

    /** Whether Spring Boot reads it by its name; which keys win is not known of the others, so they are marked alone. */
    final boolean isKnown;

    /** Where it counts: the module, and the folder of its sources, main or a test's. */
    final String module;

    final boolean isTest;

    /** Why an entry is left, by its id. */
    final Map<UUID, String> left = new HashMap<>();

    /** What has to be seen to, but nobody waits for. */
    final Map<UUID, String> notes = new HashMap<>();

    /** The first entry under the prefix, of a document for all profiles, beside which a size can be written; else null. */
    private @Nullable UUID firstOfAll;

    /** Any entry under the prefix; null if there is none. */
    private @Nullable UUID any;

    private boolean isForAll;
    private boolean isSized;
    private boolean getsSize;

    private SpringFile(Path path, boolean isKnown) {
        this.isKnown = isKnown;
        String name = path.toString().replace('\\', '/');
        Matcher set = SET.matcher(name);
        boolean isSet = set.matches();
        module = isSet ? String.valueOf(set.group(1)) : name.replaceFirst("[^/]*$", "");
        isTest = isSet && !set.group(2).equals("main");
    }

    /** Returns null if it is neither YAML nor a properties file. */
    static @Nullable SpringFile of(SourceFile source) {
        Matcher name = NAME.matcher(String.valueOf(source.getSourcePath().getFileName()));
        boolean isKnown = name.matches();
        boolean isForAll = isKnown && name.group(1) == null;
        SpringFile file = new SpringFile(source.getSourcePath(), isKnown);
        if (source instanceof Yaml.Documents documents) {
            documents.getDocuments().forEach(one -> file.read(entries(one), isForAll));
        } else if (source instanceof Properties.File properties) {
            documents(properties).forEach(one -> file.read(one, isForAll));
        } else {
            return null;
        }
        return file;
    }

    /** An entry: its whole key, its value as text, and whether one of the same indentation can be put behind it. */
    private record Entry(UUID id, String key, String value, boolean isLeaf, boolean isBlock) {}

    private static List<Entry> entries(Yaml.Document document) {
        List<Entry> entries = new ArrayList<>();
        entries(document.getBlock(), "", entries);
        return entries;
    }

    private static void entries(Yaml.Block block, String parent, List<Entry> entries) {
        if (!(block instanceof Yaml.Mapping mapping)) {
            return;
        }
        for (Yaml.Mapping.Entry one : mapping.getEntries()) {
            String key = parent + one.getKey().getValue();
            boolean isLeaf = !(one.getValue() instanceof Yaml.Mapping);
            String value = one.getValue() instanceof Yaml.Scalar scalar
                    ? scalar.getValue()
                    : isLeaf ? one.getValue().toString() : "";
            entries.add(new Entry(one.getId(), key, value, isLeaf, mapping.getOpeningBracePrefix() == null));
            entries(one.getValue(), key + ".", entries);
        }
    }

    private static List<List<Entry>> documents(Properties.File file) {
        List<List<Entry>> documents = new ArrayList<>();
        documents.add(new ArrayList<>());
        for (Properties.Content content : file.getContent()) {
            if (content instanceof Properties.Comment comment
                    && comment.getMessage().startsWith("---")) {
                documents.add(new ArrayList<>());
            } else if (content instanceof Properties.Entry one) {
                documents
                        .get(documents.size() - 1)
                        .add(new Entry(one.getId(), one.getKey(), one.getValue().getText(), true, true));
            }
        }
        return documents;
    }

    private void read(List<Entry> document, boolean isFileForAll) {
        boolean forAll = isFileForAll
                && document.stream().noneMatch(one -> one.key().matches("spring\\.(config\\.activate\\..+|profiles)"));
        isForAll |= forAll;
        String prefix = Hikari.relaxed(PREFIX);
        for (Entry one : document) {
            String key = Hikari.relaxed(one.key());
            if (one.isLeaf() && key.startsWith("logging.level." + Hikari.PACKAGE)) {
                notes.put(one.id(), "the name of Weir's log is dev.weir");
            } else if (one.isLeaf() && Hikari.SPRING_KEY.matcher(one.value()).find()) {
                left.put(one.id(), "the key in the value is HikariCP's: rename both ends");
            } else if (one.isLeaf() && one.value().contains(Hikari.PACKAGE) && !Project.isLog(one.key())) {
                left.put(one.id(), "the class is HikariCP's: take this out, or name dev.weir.WeirDataSource");
            }
            isSized |= forAll && key.equals("spring.datasource.weir." + Hikari.relaxed(SIZE));
            if (key.equals(prefix) && one.isLeaf()) {
                left.put(one.id(), "write the properties of the pool here, by their names");
            } else if (key.startsWith(prefix + ".")) {
                read(one, one.key().substring(PREFIX.length() + 1), forAll);
            }
        }
    }

    private void read(Entry one, String name, boolean forAll) {
        if (!isKnown) {
            if (one.isLeaf()) {
                left.put(one.id(), OTHER_FILE);
            }
            return;
        }
        any = any == null ? one.id() : any;
        isSized |= forAll && Hikari.relaxed(name).equals(Hikari.relaxed(SIZE));
        if (!name.contains(".") && forAll && one.isBlock() && firstOfAll == null) {
            firstOfAll = one.id();
        }
        String why = one.isLeaf() ? Hikari.ofProperty(name, one.value()) : null;
        if (why != null) {
            left.putIfAbsent(one.id(), why);
        }
    }

    /** Whether it has keys of HikariCP. */
    boolean isHikaris() {
        return any != null;
    }

    /** Writes HikariCP's size of 10 where no file sets one for all profiles, or says where that is to be done. */
    static void keepSizes(Iterable<SpringFile> all) {
        Set<String> sized = new HashSet<>();
        Set<String> ownTests = new HashSet<>();
        all.forEach(file -> {
            file.getsSize = false;
            if (file.isSized) {
                sized.add(file.module + file.isTest);
            }
            if (file.isTest && file.isForAll) {
                ownTests.add(file.module);
            }
        });
        all.forEach(file -> {
            if (file.firstOfAll != null && sized.add(file.module + file.isTest)) {
                file.getsSize = true;
            }
        });
        all.forEach(file -> {
            boolean isOwn = !file.isTest || ownTests.contains(file.module);
            UUID first = file.any;
            if (first != null && !sized.contains(file.module + (file.isTest && isOwn))) {
                file.left.putIfAbsent(first, Hikari.NO_SIZE + ", for all profiles");
            }
        });
    }

    // ------------------------------------------------------- the changes

    /** Marks what is left, and what has to be seen to. */
    SourceFile marked(SourceFile source, boolean isMoving) {
        Map<UUID, String> marks = new HashMap<>(notes);
        if (!isMoving) {
            marks.putAll(left);
        }
        return source instanceof Yaml.Documents documents
                ? YamlMarks.in(documents, marks)
                : propertiesMarked((Properties.File) source, marks);
    }

    private static Properties.File propertiesMarked(Properties.File file, Map<UUID, String> marks) {
        return file.withContent(ListUtils.flatMap(file.getContent(), one -> {
            String why = marks.get(one.getId());
            return why == null
                    ? one
                    : List.of(
                            new Properties.Comment(
                                    Tree.randomId(),
                                    one.getPrefix(),
                                    one.getMarkers(),
                                    Properties.Comment.Delimiter.HASH_TAG,
                                    Mark.comment(why)),
                            one.getPrefix().contains("\n") ? one : (Properties.Content) one.withPrefix("\n"));
        }));
    }

    /** Takes the comments out that an earlier run left. */
    static SourceFile withoutMarks(SourceFile source) {
        if (source instanceof Yaml.Documents documents) {
            return YamlMarks.without(documents);
        }
        Properties.File file = (Properties.File) source;
        List<Properties.Content> kept = new ArrayList<>();
        String before = null; // the first line of a file has no line break before it
        for (Properties.Content one : file.getContent()) {
            if (one instanceof Properties.Comment comment && Mark.isOne(comment.getMessage())) {
                before = before == null ? one.getPrefix() : before;
            } else {
                kept.add(before == null ? one : (Properties.Content) one.withPrefix(before));
                before = null;
            }
        }
        return kept.size() == file.getContent().size() ? file : file.withContent(kept);
    }

    /** Takes out what has no use, and puts the size in; the keys are renamed after it. */
    SourceFile prepared(SourceFile source) {
        if (source instanceof Properties.File file) {
            return file.withContent(ListUtils.flatMap(file.getContent(), one -> {
                if (!getsSize || !one.getId().equals(firstOfAll) || !(one instanceof Properties.Entry entry)) {
                    return one;
                }
                return List.of(
                        entry.withId(Tree.randomId())
                                .withKey(PREFIX + "." + SIZE)
                                .withValue(entry.getValue().withText("10")),
                        entry.getPrefix().contains("\n") ? entry : entry.withPrefix("\n"));
            }));
        }
        return (SourceFile)
                new YamlIsoVisitor<Integer>() {
                    @Override
                    public Yaml.Mapping visitMapping(Yaml.Mapping mapping, Integer nothing) {
                        Yaml.Mapping visited = super.visitMapping(mapping, nothing);
                        return visited.withEntries(ListUtils.flatMap(
                                visited.getEntries(),
                                one -> getsSize && one.getId().equals(firstOfAll) ? beside(one) : one));
                    }
                }.visitNonNull((Yaml.Documents) source, 0);
    }

    /** The size goes before the entry, behind a comment at the end of the line before. */
    private static List<Yaml.Mapping.Entry> beside(Yaml.Mapping.Entry entry) {
        String key = entry.getKey().getValue();
        String prefix = entry.getPrefix();
        String indent = prefix.substring(prefix.lastIndexOf('\n') + 1);
        int line = Math.max(0, prefix.indexOf('\n'));
        Yaml.Mapping.Entry size = new Yaml.Mapping.Entry(
                Tree.randomId(),
                line == 0 && !prefix.startsWith("\n") ? "" : prefix.substring(0, line) + "\n" + indent,
                Markers.EMPTY,
                scalar("", key.substring(0, key.lastIndexOf('.') + 1) + SIZE),
                "",
                scalar(" ", "10"));
        return List.of(size, entry.withPrefix(prefix.contains("\n") ? prefix.substring(line) : "\n" + prefix));
    }

    private static Yaml.Scalar scalar(String prefix, String value) {
        return new Yaml.Scalar(Tree.randomId(), prefix, Markers.EMPTY, Yaml.Scalar.Style.PLAIN, null, null, value);
    }
}

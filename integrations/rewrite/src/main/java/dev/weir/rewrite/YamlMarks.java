package dev.weir.rewrite;

import java.util.Map;
import java.util.UUID;
import org.openrewrite.yaml.YamlIsoVisitor;
import org.openrewrite.yaml.tree.Yaml;

/** Marks as comments of YAML, each on a line of its own before the line of the entry. */
final class YamlMarks {
    private YamlMarks() {}

    static Yaml.Documents in(Yaml.Documents documents, Map<UUID, String> marks) {
        return (Yaml.Documents)
                new YamlIsoVisitor<Integer>() {
                    /** Those of the entries that share a line with this one, and come after it. */
                    private String pending = "";

                    @Override
                    public Yaml.Mapping.Entry visitMappingEntry(Yaml.Mapping.Entry entry, Integer nothing) {
                        Yaml.Mapping.Entry visited = super.visitMappingEntry(entry, nothing);
                        String why = marks.get(entry.getId());
                        if (why != null) {
                            pending = "#" + Mark.comment(why) + "\n" + pending;
                        }
                        int line = visited.getPrefix().lastIndexOf('\n') + 1;
                        boolean isTop = getCursor()
                                        .getPathAsStream(Yaml.Mapping.Entry.class::isInstance)
                                        .count()
                                == 1;
                        if (pending.isEmpty() || (line == 0 && !isTop)) {
                            return visited;
                        }
                        String indent = visited.getPrefix().substring(line);
                        String comments = pending.replace("\n", "\n" + indent);
                        pending = "";
                        return visited.withPrefix(visited.getPrefix() + comments);
                    }
                }.visitNonNull(documents, 0);
    }

    static Yaml.Documents without(Yaml.Documents documents) {
        return (Yaml.Documents)
                new YamlIsoVisitor<Integer>() {
                    @Override
                    public Yaml.Mapping.Entry visitMappingEntry(Yaml.Mapping.Entry entry, Integer nothing) {
                        Yaml.Mapping.Entry visited = super.visitMappingEntry(entry, nothing);
                        return visited.withPrefix(without(visited.getPrefix()));
                    }

                    /** The comments before the first entry are the document's. */
                    @Override
                    public Yaml.Document visitDocument(Yaml.Document document, Integer nothing) {
                        Yaml.Document visited = super.visitDocument(document, nothing);
                        return visited.withPrefix(without(visited.getPrefix()));
                    }
                }.visitNonNull(documents, 0);
    }

    private static String without(String prefix) {
        return prefix.contains("#" + Mark.comment(""))
                ? prefix.replaceAll("#" + Mark.comment("") + "[^\n]*\n[ \t]*", "")
                : prefix;
    }
}

package dev.weir.rewrite;

import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.openrewrite.ExecutionContext;
import org.openrewrite.Recipe;
import org.openrewrite.Tree;
import org.openrewrite.TreeVisitor;
import org.openrewrite.properties.AddProperty;
import org.openrewrite.properties.tree.Properties;
import org.openrewrite.yaml.MergeYaml;
import org.openrewrite.yaml.YamlIsoVisitor;
import org.openrewrite.yaml.tree.Yaml;

/**
 * Writes HikariCP's default of 10 connections down where its configuration in Spring Boot sets no maximum: Weir's default is
 * greater, and what it means for the database is to be decided and not to happen.
 */
public final class KeepHikarisSize extends Recipe {
    private static final String PREFIX = "spring.datasource.hikari";
    private static final String SIZE = "maximum-pool-size";

    /** Not configurable. */
    public KeepHikarisSize() {}

    @Override
    public String getDisplayName() {
        return "Keep HikariCP's maximum of 10 connections";
    }

    @Override
    public String getDescription() {
        return "Adds `spring.datasource.hikari.maximum-pool-size` where other properties of HikariCP are set and this is not.";
    }

    @Override
    public TreeVisitor<?, ExecutionContext> getVisitor() {
        return new TreeVisitor<>() {
            @Override
            public @Nullable Tree visit(@Nullable Tree tree, ExecutionContext context) {
                if (tree instanceof Yaml.Documents documents && lacksSize(documents)) {
                    return new MergeYaml("$." + PREFIX, SIZE + ": 10", true, null, null, null, null, false)
                            .getVisitor()
                            .visit(documents, context);
                }
                if (tree instanceof Properties.File file && lacksSize(file)) {
                    return new AddProperty(PREFIX + "." + SIZE, "10", null, "=", false)
                            .getVisitor()
                            .visit(file, context);
                }
                return tree;
            }
        };
    }

    private static boolean lacksSize(Properties.File file) {
        List<String> names = file.getContent().stream()
                .filter(Properties.Entry.class::isInstance)
                .map(content -> relaxed(((Properties.Entry) content).getKey()))
                .filter(name -> name.startsWith(relaxed(PREFIX + ".")))
                .collect(Collectors.toList());
        return !names.isEmpty() && !names.contains(relaxed(PREFIX + "." + SIZE));
    }

    private static boolean lacksSize(Yaml.Documents documents) {
        boolean[] seen = new boolean[2];
        new YamlIsoVisitor<Integer>() {
            @Override
            public Yaml.Mapping.Entry visitMappingEntry(Yaml.Mapping.Entry entry, Integer nothing) {
                String path = relaxed(pathOf());
                seen[0] |= path.equals(relaxed(PREFIX)) && entry.getValue() instanceof Yaml.Mapping;
                seen[1] |= path.equals(relaxed(PREFIX + "." + SIZE));
                return super.visitMappingEntry(entry, nothing);
            }

            private String pathOf() {
                List<String> keys = getCursor()
                        .getPathAsStream(Yaml.Mapping.Entry.class::isInstance)
                        .map(entry -> ((Yaml.Mapping.Entry) entry).getKey().getValue())
                        .collect(Collectors.toList());
                java.util.Collections.reverse(keys);
                return String.join(".", keys);
            }
        }.visit(documents, 0);
        return seen[0] && !seen[1];
    }

    /** As Spring Boot compares names. */
    private static String relaxed(String name) {
        return name.replace("-", "").replace("_", "").toLowerCase(Locale.ROOT);
    }
}

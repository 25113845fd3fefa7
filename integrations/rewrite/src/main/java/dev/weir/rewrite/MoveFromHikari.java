package dev.weir.rewrite;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.openrewrite.ExecutionContext;
import org.openrewrite.Option;
import org.openrewrite.ScanningRecipe;
import org.openrewrite.SourceFile;
import org.openrewrite.Tree;
import org.openrewrite.TreeVisitor;
import org.openrewrite.java.tree.J;
import org.openrewrite.java.tree.JavaSourceFile;
import org.openrewrite.properties.ChangePropertyKey;
import org.openrewrite.properties.DeleteProperty;
import org.openrewrite.properties.tree.Properties;

/**
 * Puts Weir in the place of HikariCP in a whole project: builds, Java, and the configuration of Spring Boot; or in none of it.
 * Code, configuration and dependency belong together: with one of them half moved the project does not compile, or starts with
 * other values. So everything is read first. Where anything has no exact counterpart, nothing is changed, and a comment at each
 * such place says what to do; after that the recipe is run again.
 */
public final class MoveFromHikari extends ScanningRecipe<Project> {
    @Option(displayName = "Version", description = "The version of Weir.", example = "0.1.0")
    private final String version;

    /** Takes the version of Weir that a build is to depend on. */
    @JsonCreator
    public MoveFromHikari(@JsonProperty("version") String version) {
        this.version = version;
    }

    /** Returns the version of Weir that a build is to depend on. */
    public String getVersion() {
        return version;
    }

    @Override
    public String getDisplayName() {
        return "Use Weir in place of HikariCP, everywhere or nowhere";
    }

    @Override
    public String getDescription() {
        return "Changes builds, Java and the configuration of Spring Boot together. If anything has no exact counterpart, marks"
                + " each such place with what to do, and changes nothing.";
    }

    @Override
    public Project getInitialValue(ExecutionContext context) {
        return new Project();
    }

    @Override
    public TreeVisitor<?, ExecutionContext> getScanner(Project project) {
        return new TreeVisitor<>() {
            @Override
            public @Nullable Tree visit(@Nullable Tree tree, ExecutionContext context) {
                if (tree instanceof SourceFile source) {
                    project.read(source);
                }
                return tree;
            }
        };
    }

    @Override
    public TreeVisitor<?, ExecutionContext> getVisitor(Project project) {
        return new TreeVisitor<>() {
            @Override
            public @Nullable Tree visit(@Nullable Tree tree, ExecutionContext context) {
                return tree instanceof SourceFile source ? changed(source, project, context) : tree;
            }
        };
    }

    private SourceFile changed(SourceFile source, Project project, ExecutionContext context) {
        boolean isMoving = project.isMoving();
        if (Build.is(source.getSourcePath())) {
            SourceFile clean = Build.withoutMarks(source, context);
            String why = project.whyBuildStays(source.getSourcePath(), version);
            return isMoving
                    ? Build.moved(clean, version, context)
                    : why == null ? clean : Build.marked(clean, why, context);
        }
        if (source instanceof J.CompilationUnit unit) {
            HikariUses uses = HikariUses.of(unit);
            J.CompilationUnit clean = JavaChanges.withoutMarks(unit, context);
            return isMoving
                    ? JavaChanges.translated(clean, uses, context)
                    : JavaChanges.marked(clean, uses.leftIn(project.types()), context);
        }
        SpringFile spring = project.spring(source.getSourcePath());
        if (spring != null) {
            SourceFile clean = spring.marked(SpringFile.withoutMarks(source), isMoving);
            return isMoving && spring.isKnown ? renamed(spring.prepared(clean), context) : clean;
        }
        if (source instanceof JavaSourceFile) {
            SourceFile clean = JavaChanges.withoutMarks(source, context);
            return project.isLeft(source.getSourcePath()) ? Mark.at(clean, Project.NOT_READ) : clean;
        }
        return source;
    }

    private static SourceFile renamed(SourceFile source, ExecutionContext context) {
        SourceFile result = source;
        String prefix = "spring.datasource.hikari.";
        if (source instanceof Properties.File) {
            for (String dropped : List.of("allow-pool-suspension", "isolate-internal-queries")) {
                result = JavaChanges.changed(new DeleteProperty(prefix + dropped, true).getVisitor(), result, context);
            }
            return JavaChanges.changed(
                    new ChangePropertyKey(
                                    "spring\\.datasource\\.hikari\\.(.*)", "spring.datasource.weir.$1", true, true)
                            .getVisitor(),
                    result,
                    context);
        }
        for (String dropped : List.of("allow-pool-suspension", "isolate-internal-queries")) {
            result = JavaChanges.changed(
                    new org.openrewrite.yaml.DeleteProperty(prefix + dropped, null, true, null).getVisitor(),
                    result,
                    context);
        }
        return JavaChanges.changed(
                new org.openrewrite.yaml.ChangePropertyKey(
                                "spring.datasource.hikari", "spring.datasource.weir", true, null, null)
                        .getVisitor(),
                result,
                context);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof MoveFromHikari same && version.equals(same.version);
    }

    @Override
    public int hashCode() {
        return Objects.hash(version);
    }
}

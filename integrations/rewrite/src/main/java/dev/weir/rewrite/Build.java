package dev.weir.rewrite;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.openrewrite.ExecutionContext;
import org.openrewrite.SourceFile;
import org.openrewrite.java.JavaVisitor;
import org.openrewrite.java.tree.J;
import org.openrewrite.maven.ChangeDependencyGroupIdAndArtifactId;
import org.openrewrite.xml.XmlVisitor;
import org.openrewrite.xml.tree.Content;
import org.openrewrite.xml.tree.Xml;

/**
 * A build file: pom.xml or a script of Gradle.
 *
 * @param isBoot whether Spring Boot's starters bring HikariCP
 * @param hasStarter whether Weir's starter is there
 * @param isForModules whether its dependencies are those of the modules in its folder too
 * @param left why HikariCP's coordinates cannot be exchanged, or null
 */
record Build(
        boolean isBoot,
        boolean hasStarter,
        boolean isForModules,
        @Nullable String left) {
    private static final String HIKARI = "com.zaxxer:HikariCP";
    private static final Pattern BOOT = Pattern.compile("spring-boot-(?:starter-)?(?:data-)?(?:jdbc|jpa)\\b");

    /** Versions are set there, and nothing is depended on. */
    private static final Pattern MANAGED = Pattern.compile("(?s)<dependencyManagement>.*?</dependencyManagement>");

    private static final Pattern ANOTHER = Pattern.compile("[a-z-]*-hikari(?:cp)?\\b");

    /** Returns null if it is no build file. */
    static @Nullable Build of(SourceFile source, String text) {
        if (!is(source.getSourcePath())) {
            return null;
        }
        boolean isGradle = !(source instanceof Xml.Document);
        Matcher another = ANOTHER.matcher(text);
        String left = another.find()
                ? another.group()
                        + " is another way to HikariCP: see docs/start/from-hikaricp.md for what takes its place"
                : isGradle && text.replaceAll("exclude[^\n]*", "").matches("(?s).*[\"']com\\.zaxxer[\"'].*")
                        ? "write the coordinates as one string, '" + HIKARI + ":...'"
                        : null;
        String names = MANAGED.matcher(text).replaceAll("").replace('.', '-'); // a catalogue's names have dots
        return new Build(
                BOOT.matcher(names).find(),
                names.contains("weir-spring-boot"),
                !isGradle || text.matches("(?s).*\\b(?:sub|all)projects\\b.*"),
                left);
    }

    static boolean is(Path path) {
        return String.valueOf(path.getFileName()).matches("pom\\.xml|.+\\.gradle|.+\\.gradle\\.kts");
    }

    /** Exchanges the coordinates. */
    static SourceFile moved(SourceFile source, String version, ExecutionContext context) {
        if (source instanceof Xml.Document) {
            return JavaChanges.changed(
                    new ChangeDependencyGroupIdAndArtifactId(
                                    "com.zaxxer", "HikariCP", "dev.weir", "weir", version, null, true, null)
                            .getVisitor(),
                    source,
                    context);
        }
        return JavaChanges.changed(
                new JavaVisitor<>() {
                    @Override
                    public J visitLiteral(J.Literal literal, ExecutionContext ignored) {
                        if (!isHikari(literal)) {
                            return literal;
                        }
                        String weir = "dev.weir:weir:" + version;
                        String written = literal.getValueSource();
                        return literal.withValue(weir)
                                .withValueSource(
                                        written == null
                                                ? null
                                                : written.replace(String.valueOf(literal.getValue()), weir));
                    }
                },
                source,
                context);
    }

    private static boolean isHikari(J.Literal literal) {
        return literal.getValue() instanceof String text && (text.equals(HIKARI) || text.startsWith(HIKARI + ":"));
    }

    /** Says at the dependencies why HikariCP stays. */
    static SourceFile marked(SourceFile source, String why, ExecutionContext context) {
        if (source instanceof Xml.Document) {
            return JavaChanges.changed(
                    new XmlVisitor<>() {
                        @Override
                        public Xml visitTag(Xml.Tag tag, ExecutionContext ignored) {
                            Xml visited = super.visitTag(tag, ignored);
                            boolean isOne = tag.getName().equals("dependencies")
                                    && getCursor().getParentTreeCursor().getValue() instanceof Xml.Tag parent
                                    && parent.getName().equals("project");
                            return isOne ? Mark.at(visited, why) : visited;
                        }
                    },
                    source,
                    context);
        }
        return JavaChanges.changed(
                new JavaVisitor<>() {
                    @Override
                    public J visitMethodInvocation(J.MethodInvocation call, ExecutionContext ignored) {
                        return call.getSimpleName().equals("dependencies")
                                ? Mark.at(call, why)
                                : super.visitMethodInvocation(call, ignored);
                    }
                },
                source,
                context);
    }

    /** Takes the comments out that an earlier run left. */
    static SourceFile withoutMarks(SourceFile source, ExecutionContext context) {
        if (!(source instanceof Xml.Document)) {
            return JavaChanges.withoutMarks(source, context);
        }
        return JavaChanges.changed(
                new XmlVisitor<>() {
                    @Override
                    public Xml visitTag(Xml.Tag tag, ExecutionContext ignored) {
                        Xml.Tag visited = (Xml.Tag) super.visitTag(tag, ignored);
                        List<Content> kept = new ArrayList<>();
                        String before = "";
                        for (Content one : visited.getContent() == null ? List.<Content>of() : visited.getContent()) {
                            if (one instanceof Xml.Comment comment && Mark.isOne(comment.getText())) {
                                before = comment.getPrefix();
                            } else {
                                kept.add(before.isEmpty() ? one : (Content) one.withPrefix(before + one.getPrefix()));
                                before = "";
                            }
                        }
                        boolean isMarked = visited.getContent() != null
                                && kept.size() < visited.getContent().size();
                        return isMarked ? visited.withContent(kept) : visited;
                    }
                },
                source,
                context);
    }
}

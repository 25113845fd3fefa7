package dev.weir.rewrite;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.openrewrite.Cursor;
import org.openrewrite.ExecutionContext;
import org.openrewrite.Tree;
import org.openrewrite.TreeVisitor;
import org.openrewrite.internal.ListUtils;
import org.openrewrite.java.ChangeType;
import org.openrewrite.java.JavaTemplate;
import org.openrewrite.java.JavaVisitor;
import org.openrewrite.java.tree.Expression;
import org.openrewrite.java.tree.J;
import org.openrewrite.java.tree.JavaType;
import org.openrewrite.java.tree.NameTree;
import org.openrewrite.java.tree.Space;
import org.openrewrite.java.tree.Statement;
import org.openrewrite.java.tree.TypeUtils;

/** The changes of Java, Kotlin and Groovy: marks, or the translation of a Java source that has no mark. */
final class JavaChanges {
    private static final Set<String> CATCHES =
            Set.of("java.sql.SQLException", "java.lang.Exception", "java.lang.Throwable");

    private JavaChanges() {}

    /** Takes the comments out that an earlier run left. */
    static <T extends Tree> T withoutMarks(T source, ExecutionContext context) {
        return changed(
                new JavaVisitor<>() {
                    @Override
                    public Space visitSpace(@Nullable Space space, Space.Location place, ExecutionContext ignored) {
                        Space old = space == null ? Space.EMPTY : space;
                        return old.withComments(ListUtils.map(
                                old.getComments(),
                                one -> Mark.isOne(one.printComment(getCursor())
                                                .replaceFirst("^/\\*", "")
                                                .replaceFirst("\\*/$", ""))
                                        ? null
                                        : one));
                    }
                },
                source,
                context);
    }

    static <T extends Tree> T marked(T source, Map<UUID, String> places, ExecutionContext context) {
        return changed(
                new JavaVisitor<>() {
                    @Override
                    public J postVisit(J tree, ExecutionContext ignored) {
                        String why = places.get(tree.getId());
                        return why == null ? tree : Mark.at(tree, why);
                    }
                },
                source,
                context);
    }

    /** Translates a source of which nothing is left. */
    static J.CompilationUnit translated(J.CompilationUnit source, HikariUses uses, ExecutionContext context) {
        J.CompilationUnit unit = changed(new Calls(uses), source, context);
        for (String type : new String[] {Hikari.DATA_SOURCE, Hikari.CONFIG}) {
            unit = changed(new ChangeType(type, Hikari.WEIR, null).getVisitor(), unit, context);
        }
        return withoutImports(unit);
    }

    /** Those with a star stay behind. */
    private static J.CompilationUnit withoutImports(J.CompilationUnit unit) {
        List<J.Import> imports = new ArrayList<>();
        Space before = null;
        for (J.Import one : unit.getImports()) {
            if (one.getTypeName().startsWith(Hikari.PACKAGE + ".")) {
                before = before == null ? one.getPrefix() : before;
            } else {
                imports.add(before == null ? one : one.withPrefix(before));
                before = null;
            }
        }
        return imports.size() == unit.getImports().size() ? unit : unit.withImports(imports);
    }

    @SuppressWarnings("unchecked") // none of these visitors makes another kind of tree of a source, or none
    static <T extends Tree> T changed(TreeVisitor<?, ExecutionContext> visitor, T source, ExecutionContext context) {
        return (T) visitor.visitNonNull(source, context);
    }

    /** What is called otherwise, before the types are changed. */
    private static final class Calls extends JavaVisitor<ExecutionContext> {
        private final HikariUses uses;

        Calls(HikariUses uses) {
            this.uses = uses;
        }

        @Override
        public J visitBlock(J.Block block, ExecutionContext context) {
            J.Block changed = (J.Block) super.visitBlock(block, context);
            for (HikariUses.Inlined one : uses.inlined) {
                if (one.block().equals(block.getId())) {
                    Statement last = changed.getStatements().stream()
                            .filter(statement -> statement.getId().equals(one.last()))
                            .findFirst()
                            .orElseThrow();
                    changed = start(changed, last, one.name());
                }
            }
            return changed;
        }

        /** HikariCP's constructor opens the first connection, or throws what is unchecked. */
        private J.Block start(J.Block block, Statement before, String name) {
            if (isSqlExceptionAllowed()) {
                return JavaTemplate.builder(name + ".start();")
                        .build()
                        .apply(updateCursor(block), before.getCoordinates().before());
            }
            maybeAddImport("java.sql.SQLException", null, false);
            return JavaTemplate.builder("try {\n    " + name + ".start();\n} catch (SQLException notStarted) {\n"
                            + "    throw new IllegalStateException(\"the pool did not start\", notStarted);\n}")
                    .imports("java.sql.SQLException")
                    .build()
                    .apply(updateCursor(block), before.getCoordinates().before());
        }

        private boolean isSqlExceptionAllowed() {
            J inner = getCursor().getValue();
            for (Cursor above = getCursor().getParentTreeCursor();
                    above.getValue() instanceof J;
                    above = above.getParentTreeCursor()) {
                J outer = above.getValue();
                if (outer instanceof J.Lambda || outer instanceof J.ClassDeclaration || outer instanceof J.NewClass) {
                    return false;
                }
                if (outer instanceof J.MethodDeclaration method) {
                    return method.getThrows() != null
                            && method.getThrows().stream().anyMatch(Calls::isCaught);
                }
                if (outer instanceof J.Try guarded
                        && guarded.getBody().getId().equals(inner.getId())
                        && guarded.getCatches().stream()
                                .anyMatch(one ->
                                        isCaught(one.getParameter().getTree().getTypeExpression()))) {
                    return true;
                }
                inner = outer;
            }
            return false;
        }

        private static boolean isCaught(@Nullable Tree exception) {
            JavaType.FullyQualified type =
                    exception instanceof NameTree name ? TypeUtils.asFullyQualified(name.getType()) : null;
            return type != null && CATCHES.contains(type.getFullyQualifiedName());
        }

        @Override
        public J visitNewClass(J.NewClass made, ExecutionContext context) {
            J visited = super.visitNewClass(made, context);
            boolean isInlined =
                    uses.inlined.stream().anyMatch(one -> one.constructor().equals(made.getId()));
            if (isInlined && visited instanceof J.NewClass now) {
                Expression configuration = now.getArguments().get(0);
                return configuration.withPrefix(now.getPrefix());
            }
            return visited;
        }

        @Override
        @SuppressWarnings("NullAway") // null takes a statement out, though the declaration does not say so
        public J visitMethodInvocation(J.MethodInvocation call, ExecutionContext context) {
            JavaType.Method method = call.getMethodType();
            boolean isDropped = method != null
                    && Hikari.DROPPED.contains(method.getName())
                    && method.getDeclaringType().getFullyQualifiedName().startsWith(Hikari.PACKAGE);
            return isDropped ? null : super.visitMethodInvocation(call, context);
        }
    }
}

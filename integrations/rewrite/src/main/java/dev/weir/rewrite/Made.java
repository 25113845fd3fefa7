package dev.weir.rewrite;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.openrewrite.java.JavaIsoVisitor;
import org.openrewrite.java.tree.Expression;
import org.openrewrite.java.tree.J;
import org.openrewrite.java.tree.Statement;

/** What statements make, and what becomes of it in those that follow. */
final class Made {
    private Made() {}

    /**
     * How a variable is used.
     *
     * @param constructor the only one that takes the variable, after all other uses, which are calls of its methods; else null
     * @param last the place of the statement with that constructor
     */
    record Uses(J.@Nullable NewClass constructor, int last) {}

    /** What a statement makes and gives to one variable or field, or null. */
    static J.@Nullable NewClass by(Statement statement) {
        Expression value = statement instanceof J.VariableDeclarations declared
                        && declared.getVariables().size() == 1
                ? declared.getVariables().get(0).getInitializer()
                : statement instanceof J.Assignment assigned ? assigned.getAssignment() : null;
        return value instanceof J.NewClass made ? made : null;
    }

    /** The name of that variable or field, or null. */
    static @Nullable String name(Statement statement) {
        return statement instanceof J.VariableDeclarations declared
                ? declared.getVariables().get(0).getSimpleName()
                : statement instanceof J.Assignment assigned ? name(assigned.getVariable()) : null;
    }

    private static @Nullable String name(@Nullable Expression variable) {
        if (variable instanceof J.FieldAccess field
                && field.getTarget() instanceof J.Identifier target
                && target.getSimpleName().equals("this")) {
            return field.getSimpleName();
        }
        return variable instanceof J.Identifier one ? one.getSimpleName() : null;
    }

    /** Whether a statement, and not only some branch of it, sets the maximum size of this variable. */
    static boolean setsSize(Statement statement, String name) {
        return statement instanceof J.MethodInvocation call
                && call.getSimpleName().equals("setMaximumPoolSize")
                && name.equals(name(call.getSelect()));
    }

    /** Looks through the statements behind the declaration of a local variable. */
    static Uses uses(String name, List<Statement> after) {
        J.NewClass constructor = null;
        int last = -1;
        for (int i = 0; i < after.size(); i++) {
            Collected uses = new Collected(name);
            uses.visit(after.get(i), 0);
            boolean isLast = uses.constructors.size() == 1 && isDirect(after.get(i), uses.constructors.get(0));
            boolean isUsed = !uses.constructors.isEmpty() || uses.calls > 0;
            if (uses.escapes || (!uses.constructors.isEmpty() && !isLast) || (isUsed && constructor != null)) {
                return new Uses(null, -1);
            }
            if (isLast) {
                if (uses.calls > 0) {
                    return new Uses(null, -1);
                }
                constructor = uses.constructors.get(0);
                last = i;
            }
        }
        return new Uses(constructor, last);
    }

    /** Whether the statement runs the constructor once whenever it runs, and does something with the result. */
    private static boolean isDirect(Statement statement, J.NewClass constructor) {
        if (statement instanceof J.Return returned) {
            return constructor.equals(returned.getExpression());
        }
        if (statement instanceof J.MethodInvocation call) {
            return call.getArguments().contains(constructor);
        }
        if (statement instanceof J.Try closing) {
            return closing.getResources() != null
                    && closing.getResources().get(0).getVariableDeclarations() instanceof Statement first
                    && constructor.equals(by(first));
        }
        return constructor.equals(by(statement));
    }

    /** All uses of a variable in a statement. */
    private static final class Collected extends JavaIsoVisitor<Integer> {
        private final String name;
        private final List<J.NewClass> constructors = new ArrayList<>();
        private int calls;
        private boolean escapes;

        Collected(String name) {
            this.name = name;
        }

        @Override
        public J.Identifier visitIdentifier(J.Identifier one, Integer nothing) {
            J parent = getCursor().getParentTreeCursor().getValue();
            if (!one.getSimpleName().equals(name)
                    || (parent instanceof J.MethodInvocation call
                            && call.getName().equals(one))
                    || (parent instanceof J.FieldAccess access
                            && access.getName().equals(one))) {
                return one;
            }
            boolean isLater = getCursor().firstEnclosing(J.Lambda.class) != null
                    || getCursor().firstEnclosing(J.ClassDeclaration.class) != null
                    || getCursor()
                            .getPathAsStream(J.NewClass.class::isInstance)
                            .anyMatch(made -> ((J.NewClass) made).getBody() != null);
            if (isLater) {
                escapes = true;
            } else if (parent instanceof J.MethodInvocation call && one.equals(call.getSelect())) {
                calls++;
            } else if (parent instanceof J.NewClass made
                    && made.getArguments().size() == 1
                    && made.getClazz() instanceof J.Identifier type
                    && type.getSimpleName().equals("HikariDataSource")) {
                constructors.add(made);
            } else {
                escapes = true;
            }
            return one;
        }
    }
}

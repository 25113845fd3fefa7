package dev.weir.rewrite;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.openrewrite.Cursor;
import org.openrewrite.java.JavaIsoVisitor;
import org.openrewrite.java.tree.Expression;
import org.openrewrite.java.tree.J;
import org.openrewrite.java.tree.JavaType;
import org.openrewrite.java.tree.Space;
import org.openrewrite.java.tree.Statement;
import org.openrewrite.java.tree.TypeUtils;

/**
 * What a Java source does with HikariCP. All of it has an exact counterpart in Weir, or is in {@link #left}: HikariDataSource
 * copies a HikariConfig, Weir's data source is its own configuration, so that only a local configuration which exactly one
 * constructor takes, as the last use of it, can become the data source itself.
 */
final class HikariUses extends JavaIsoVisitor<Integer> {
    private static final String ESCAPES =
            "HikariDataSource copies its configuration, Weir has no such copy: give each pool a"
                    + " WeirDataSource of its own, or build a PoolConfig and give it to new WeirDataSource(config)";
    private static final String SUBCLASS = "configure a WeirDataSource in place of a subclass";
    private static final String BY_CLASS =
            "the class is asked for here: name dev.weir.WeirDataSource, and see that it is one";
    private static final String NO_COUNTERPART =
            "WeirDataSource has stats(), evictAll(), suspend(), resume() and setters; this"
                    + " type of HikariCP has no counterpart";
    private static final String FOREIGN = "a library takes or gives HikariCP's type here";
    private static final String BOUND =
            "the names of the configuration that is bound here are HikariCP's: rename both ends; in Spring Boot"
                    + " WeirDataSourceFactory makes a pool of the properties under a prefix";
    private static final String KEY = "the key is HikariCP's: rename both ends, spring.datasource.weir";
    private static final String NAME = "the name is HikariCP's: dev.weir";
    private static final String UNTYPED = "the types are not known: build the project first";
    private static final String BUILDER = "this builds HikariCP's pool while HikariCP is on the class path: name the"
            + " type, dev.weir.WeirDataSource.class";

    /**
     * A local configuration that becomes the data source.
     *
     * @param block where it is declared and used
     * @param last the statement of that block with the constructor
     * @param constructor which is replaced by the configuration
     */
    record Inlined(UUID block, UUID last, UUID constructor, String name) {}

    /** Why a place is left, by the id of the element. */
    final Map<UUID, String> left = new HashMap<>();

    /** Calls with HikariCP's types in the declaration, which are left unless a source of the project declares the class. */
    final Map<UUID, String> owners = new HashMap<>();

    final List<Inlined> inlined = new ArrayList<>();
    final Set<String> declared = new HashSet<>();
    private final Set<UUID> understood = new HashSet<>();

    private HikariUses() {}

    static HikariUses of(J.CompilationUnit unit) {
        HikariUses uses = new HikariUses();
        uses.visit(unit, 0);
        return uses;
    }

    /** Adds the calls of classes that no source of the project declares. */
    Map<UUID, String> leftIn(Set<String> project) {
        Map<UUID, String> all = new HashMap<>(left);
        owners.forEach((id, owner) -> {
            if (!project.contains(owner)) {
                all.put(id, FOREIGN);
            }
        });
        return all;
    }

    private void leave(J place, String why) {
        left.putIfAbsent(place.getId(), why);
    }

    /** Comments are no uses; the types that Javadoc links to are changed with the others. */
    @Override
    public Space visitSpace(@Nullable Space space, Space.Location place, Integer nothing) {
        return space == null ? Space.EMPTY : space;
    }

    @Override
    public J.Import visitImport(J.Import one, Integer nothing) {
        String type = one.getTypeName();
        if (type.startsWith(Hikari.PACKAGE + ".")) {
            boolean known = one.getQualid().getType() instanceof JavaType.Class;
            if (!Set.of(Hikari.CONFIG, Hikari.DATA_SOURCE, Hikari.PACKAGE + ".*")
                    .contains(type)) {
                leave(one, NO_COUNTERPART);
            } else if (one.isStatic()) {
                leave(one, BY_CLASS);
            } else if (!known && !type.endsWith("*")) {
                leave(one, UNTYPED);
            }
        }
        return one;
    }

    @Override
    public J.ClassDeclaration visitClassDeclaration(J.ClassDeclaration type, Integer nothing) {
        if (type.getType() != null) {
            declared.add(type.getType().getFullyQualifiedName());
        }
        return super.visitClassDeclaration(type, nothing);
    }

    @Override
    public J.MethodDeclaration visitMethodDeclaration(J.MethodDeclaration method, Integer nothing) {
        JavaType.Method type = method.getMethodType();
        method.getLeadingAnnotations().stream()
                .filter(one -> one.getSimpleName().equals("ConfigurationProperties"))
                .filter(one -> type != null && mentionsHikari(type.getReturnType()))
                .forEach(one -> leave(one, BOUND));
        return super.visitMethodDeclaration(method, nothing);
    }

    // ------------------------------------------------------- what is made

    @Override
    public J.Block visitBlock(J.Block block, Integer nothing) {
        boolean isBody = getCursor().getParentTreeCursor().getValue() instanceof J.ClassDeclaration
                || getCursor().getParentTreeCursor().getValue() instanceof J.NewClass;
        List<Statement> statements = block.getStatements();
        for (int i = 0; i < statements.size(); i++) {
            J.NewClass made = Made.by(statements.get(i));
            String name = Made.name(statements.get(i));
            if (made == null || name == null || made.getBody() != null || argument(made) != null) {
                continue;
            }
            List<Statement> after = statements.subList(i + 1, statements.size());
            if (isHikari(made.getType(), Hikari.DATA_SOURCE)) {
                understood.add(made.getId());
                if (after.stream().noneMatch(one -> Made.setsSize(one, name))) {
                    leave(made, Hikari.NO_SIZE);
                }
            } else if (isHikari(made.getType(), Hikari.CONFIG)
                    && !isBody
                    && statements.get(i) instanceof J.VariableDeclarations variable) {
                configuration(block, variable, made, name, after);
            }
        }
        return super.visitBlock(block, nothing);
    }

    private void configuration(
            J.Block block, J.VariableDeclarations variable, J.NewClass made, String name, List<Statement> after) {
        Made.Uses uses = Made.uses(name, after);
        J.NewClass constructor = uses.constructor();
        if (constructor == null || constructor.getBody() != null) {
            return;
        }
        understood.add(made.getId());
        understood.add(constructor.getId());
        if (variable.getTypeExpression() != null) {
            understood.add(variable.getTypeExpression().getId());
        }
        int last = uses.last();
        if (after.subList(0, last).stream().noneMatch(one -> Made.setsSize(one, name))) {
            leave(made, Hikari.NO_SIZE);
        }
        inlined.add(new Inlined(block.getId(), after.get(last).getId(), constructor.getId(), name));
    }

    @Override
    public J.NewClass visitNewClass(J.NewClass made, Integer nothing) {
        boolean isSubclass = made.getBody() != null
                && made.getClazz() != null
                && isHikari(made.getClazz().getType(), null);
        if (isSubclass) {
            leave(made, SUBCLASS);
        } else if (!isHikari(made.getType(), null)) {
            foreign(made, made.getMethodType());
        } else if (!understood.contains(made.getId())) {
            boolean isPool = isHikari(made.getType(), Hikari.DATA_SOURCE);
            boolean isKnown = isPool || isHikari(made.getType(), Hikari.CONFIG);
            leave(made, !isKnown ? NO_COUNTERPART : isPool && argument(made) == null ? Hikari.NO_SIZE : ESCAPES);
        }
        return super.visitNewClass(made, nothing);
    }

    private static @Nullable Expression argument(J.NewClass made) {
        return made.getArguments().stream()
                .filter(one -> !(one instanceof J.Empty))
                .findFirst()
                .orElse(null);
    }

    // ------------------------------------------------------- what is called

    @Override
    public J.MethodInvocation visitMethodInvocation(J.MethodInvocation call, Integer nothing) {
        JavaType.Method type = call.getMethodType();
        String name = call.getSimpleName();
        if (type == null) {
            if (call.getSelect() != null && isHikari(call.getSelect().getType(), null)) {
                leave(call, UNTYPED);
            }
        } else if (isHikari(type.getDeclaringType(), Hikari.CONFIG)
                || isHikari(type.getDeclaringType(), Hikari.DATA_SOURCE)) {
            Object literal = call.getArguments().get(0) instanceof J.Literal one ? one.getValue() : null;
            String why = Hikari.ofMethod(name, literal);
            boolean isStatement = getCursor().getParentTreeCursor().getValue() instanceof J.Block;
            if (why != null || (Hikari.DROPPED.contains(name) && !isStatement)) {
                leave(call, why == null ? "this is always so, or of no use, in Weir: take it out" : why);
            }
        } else if (isHikari(type.getDeclaringType(), null)) {
            leave(call, NO_COUNTERPART);
        } else if (name.equals("build")
                && type.getDeclaringType().getFullyQualifiedName().endsWith(".DataSourceBuilder")
                && !isTyped(call)) {
            leave(call, BUILDER);
        } else {
            foreign(call, type);
        }
        return super.visitMethodInvocation(call, nothing);
    }

    /** Whether the builder was told a type: in the same chain, or as the type of the variable that holds it says. */
    private boolean isTyped(J.MethodInvocation build) {
        JavaType.FullyQualified made = build.getType() instanceof JavaType.GenericTypeVariable
                ? null
                : TypeUtils.asFullyQualified(build.getType());
        return build.printTrimmed(getCursor()).contains(".type(")
                || (made != null && !made.getFullyQualifiedName().equals("javax.sql.DataSource"));
    }

    @Override
    public J.MemberReference visitMemberReference(J.MemberReference reference, Integer nothing) {
        if (isHikari(reference.getContaining().getType(), null)) {
            leave(reference, BY_CLASS);
        } else {
            foreign(reference, reference.getMethodType());
        }
        return super.visitMemberReference(reference, nothing);
    }

    /** A call whose declaration, not only this use of it, has a type of HikariCP. */
    private void foreign(J call, JavaType.@Nullable Method method) {
        if (method == null) {
            return;
        }
        JavaType.FullyQualified owner = method.getDeclaringType();
        JavaType.FullyQualified raw = owner instanceof JavaType.Parameterized one ? one.getType() : owner;
        boolean isDeclared = raw.getMethods().stream()
                .filter(one -> one.getName().equals(method.getName())
                        && one.getParameterTypes().size()
                                == method.getParameterTypes().size())
                .anyMatch(one -> mentionsHikari(one.getReturnType())
                        || one.getParameterTypes().stream().anyMatch(HikariUses::mentionsHikari));
        if (isDeclared) {
            owners.put(call.getId(), raw.getFullyQualifiedName());
        }
    }

    // ------------------------------------------------------- what is named

    @Override
    public J.Identifier visitIdentifier(J.Identifier name, Integer nothing) {
        JavaType.FullyQualified type = TypeUtils.asFullyQualified(name.getType());
        if (name.getFieldType() == null
                && type != null
                && isHikari(type, null)
                && type.getClassName().endsWith(name.getSimpleName())) {
            named(name, type);
        }
        return name;
    }

    private void named(J.Identifier name, JavaType.FullyQualified type) {
        J use = name;
        Cursor above = getCursor().getParentTreeCursor();
        while (above.getValue() instanceof J.FieldAccess access
                && access.getName().getId().equals(use.getId())) {
            use = access; // the full name
            above = above.getParentTreeCursor();
        }
        J parent = above.getValue();
        if (understood.contains(use.getId()) || parent instanceof J.NewClass) {
            return; // looked at with the constructor
        }
        if (isHikari(type, Hikari.CONFIG)) {
            leave(name, ESCAPES);
        } else if (!isHikari(type, Hikari.DATA_SOURCE)) {
            leave(name, NO_COUNTERPART);
        } else if (parent instanceof J.ClassDeclaration) {
            leave(name, SUBCLASS);
        } else if (parent instanceof J.FieldAccess
                || parent instanceof J.ControlParentheses
                || parent instanceof J.TypeCast
                || parent instanceof J.InstanceOf
                || parent instanceof J.Case
                || parent instanceof J.MethodInvocation) {
            leave(name, BY_CLASS);
        }
    }

    @Override
    public J.Literal visitLiteral(J.Literal literal, Integer nothing) {
        if (literal.getValue() instanceof String text) {
            if (Hikari.SPRING_KEY.matcher(text).find()) {
                leave(literal, KEY);
            } else if (text.contains(Hikari.PACKAGE)) {
                leave(literal, NAME);
            }
        }
        return literal;
    }

    // ------------------------------------------------------- types

    /** Whether it is HikariCP's class of this name, or, without a name, any of HikariCP's. */
    private static boolean isHikari(@Nullable JavaType type, @Nullable String name) {
        JavaType.FullyQualified one = TypeUtils.asFullyQualified(type);
        return one != null
                && (name == null
                        ? one.getFullyQualifiedName().startsWith(Hikari.PACKAGE + ".")
                        : one.getFullyQualifiedName().equals(name));
    }

    private static boolean mentionsHikari(@Nullable JavaType type) {
        return mentionsHikari(type, new IdentityHashMap<>());
    }

    private static boolean mentionsHikari(@Nullable JavaType type, Map<JavaType, Boolean> seen) {
        if (type == null || seen.put(type, true) != null) {
            return false;
        }
        if (type instanceof JavaType.Parameterized one) {
            return mentionsHikari(one.getType(), seen)
                    || one.getTypeParameters().stream().anyMatch(inner -> mentionsHikari(inner, seen));
        }
        if (type instanceof JavaType.Array one) {
            return mentionsHikari(one.getElemType(), seen);
        }
        if (type instanceof JavaType.GenericTypeVariable one) {
            return one.getBounds().stream().anyMatch(bound -> mentionsHikari(bound, seen));
        }
        return isHikari(type, null);
    }
}

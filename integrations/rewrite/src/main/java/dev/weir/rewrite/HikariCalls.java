package dev.weir.rewrite;

import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.openrewrite.ExecutionContext;
import org.openrewrite.Preconditions;
import org.openrewrite.Recipe;
import org.openrewrite.Tree;
import org.openrewrite.TreeVisitor;
import org.openrewrite.internal.ListUtils;
import org.openrewrite.java.JavaIsoVisitor;
import org.openrewrite.java.JavaVisitor;
import org.openrewrite.java.search.UsesType;
import org.openrewrite.java.tree.Expression;
import org.openrewrite.java.tree.J;
import org.openrewrite.java.tree.JRightPadded;
import org.openrewrite.java.tree.JavaType;
import org.openrewrite.java.tree.Space;
import org.openrewrite.java.tree.TypeUtils;
import org.openrewrite.marker.Markers;
import org.openrewrite.marker.SearchResult;

/**
 * Changes the calls of HikariCP's classes to those of one {@code WeirDataSource}, which is configuration, data source and
 * operations at once; the types themselves are changed after this. What has no equivalent is marked with what to do.
 */
public final class HikariCalls extends Recipe {
    private static final String PACKAGE = "com.zaxxer.hikari.";
    private static final String CONFIG = PACKAGE + "HikariConfig";
    private static final String DATA_SOURCE = PACKAGE + "HikariDataSource";
    private static final String OPERATIONS = PACKAGE + "HikariPoolMXBean";

    /** Of {@code HikariPoolMXBean}: the counts, which Weir has in its statistics. */
    private static final Map<String, String> COUNTS = Map.of(
            "getActiveConnections", "inUse",
            "getIdleConnections", "idle",
            "getTotalConnections", "total",
            "getThreadsAwaitingConnection", "waiting");

    /** Of {@code HikariPoolMXBean}: what can be done. */
    private static final Map<String, String> ACTIONS = Map.of(
            "softEvictConnections", "evictAll",
            "suspendPool", "suspend",
            "resumePool", "resume");

    /** What is always so, or of no use here. */
    static final Set<String> DROPPED = Set.of("setAllowPoolSuspension", "setIsolateInternalQueries");

    /** What is done otherwise. */
    static final Map<String, String> OTHERWISE = Map.ofEntries(
            Map.entry("setMetricRegistry", "bind dev.weir.micrometer.WeirMetrics to the registry"),
            Map.entry("setMetricsTrackerFactory", "bind dev.weir.micrometer.WeirMetrics, or add a PoolListener"),
            Map.entry("setHealthCheckRegistry", "use stats(), or the health check of weir-dropwizard"),
            Map.entry("setHealthCheckProperties", "use stats(), or the health check of weir-dropwizard"),
            Map.entry("addHealthCheckProperty", "use stats(), or the health check of weir-dropwizard"),
            Map.entry("setScheduledExecutor", "the pool has a thread of its own; setThreadFactory makes it"),
            Map.entry("setCredentials", "setUsername and setPassword"),
            Map.entry("setCredentialsProvider", "setCredentialsProvider takes a dev.weir.spi.CredentialsProvider"),
            Map.entry(
                    "setCredentialsProviderClassName",
                    "setCredentialsProvider takes a dev.weir.spi.CredentialsProvider"),
            Map.entry("setExceptionOverride", "setFailureClassifier takes a dev.weir.spi.FailureClassifier"),
            Map.entry("setExceptionOverrideClassName", "setFailureClassifier takes a dev.weir.spi.FailureClassifier"),
            Map.entry("setDataSourceJNDI", "look the data source up, and give it to setDataSource"),
            Map.entry("getHikariConfigMXBean", "the setters of WeirDataSource change what can change while it runs"),
            Map.entry("evictConnection", "evictAll() replaces all connections"),
            Map.entry("copyStateTo", "PoolConfig.toBuilder() copies a configuration"),
            Map.entry("validate", "config() checks the configuration"));

    private static final String BY_PROPERTIES =
            "new WeirDataSource(HikariProperties.of(properties).toConfig()), of weir-migration, reads HikariCP's properties";
    private static final String NO_SIZE = "set maximumPoolSize: it is 10 in HikariCP unless it is set, and 60 in Weir";

    /** Not configurable. */
    public HikariCalls() {}

    @Override
    public String getDisplayName() {
        return "Call Weir in place of HikariCP, before the types are changed";
    }

    @Override
    public String getDescription() {
        return "Changes constructors and calls that are not the same in Weir, and marks those that have no equivalent.";
    }

    @Override
    public TreeVisitor<?, ExecutionContext> getVisitor() {
        return Preconditions.check(new UsesType<>(PACKAGE + "*", true), new Calls());
    }

    private static boolean isOf(@Nullable JavaType type, String name) {
        return TypeUtils.isOfClassType(type, name);
    }

    private static final class Calls extends JavaVisitor<ExecutionContext> {
        private boolean setsSize;

        @Override
        public J visitCompilationUnit(J.CompilationUnit unit, ExecutionContext context) {
            boolean[] found = new boolean[1];
            new JavaIsoVisitor<Integer>() {
                @Override
                public J.MethodInvocation visitMethodInvocation(J.MethodInvocation call, Integer nothing) {
                    found[0] |= call.getSimpleName().equals("setMaximumPoolSize");
                    return super.visitMethodInvocation(call, nothing);
                }
            }.visit(unit, 0);
            setsSize = found[0];
            return super.visitCompilationUnit(unit, context);
        }

        @Override
        public J visitNewClass(J.NewClass made, ExecutionContext context) {
            J visited = super.visitNewClass(made, context);
            if (!(visited instanceof J.NewClass now)) {
                return visited;
            }
            List<Expression> arguments = ListUtils.filter(now.getArguments(), one -> !(one instanceof J.Empty));
            boolean isConfig = isOf(made.getType(), CONFIG);
            boolean isDataSource = isOf(made.getType(), DATA_SOURCE);
            if (isDataSource && arguments.size() == 1) {
                return arguments.get(0).withPrefix(now.getPrefix());
            }
            if (isConfig && !arguments.isEmpty()) {
                return SearchResult.found(now, BY_PROPERTIES);
            }
            return (isConfig || isDataSource) && !setsSize ? SearchResult.found(now, NO_SIZE) : now;
        }

        @Override
        @SuppressWarnings("NullAway") // null takes a statement out, though the declaration does not say so
        public J visitMethodInvocation(J.MethodInvocation call, ExecutionContext context) {
            JavaType.Method method = call.getMethodType();
            J visited = super.visitMethodInvocation(call, context);
            if (method == null || !(visited instanceof J.MethodInvocation now)) {
                return visited;
            }
            String name = method.getName();
            String declaring = method.getDeclaringType().getFullyQualifiedName();
            if (declaring.equals(OPERATIONS)) {
                return operation(now, name);
            }
            if (!declaring.equals(CONFIG) && !declaring.equals(DATA_SOURCE)) {
                return now;
            }
            if (name.equals("getHikariPoolMXBean") && now.getSelect() != null) {
                return now.getSelect().withPrefix(now.getPrefix());
            }
            if (DROPPED.contains(name)) {
                return null;
            }
            String otherwise = OTHERWISE.get(name);
            return otherwise == null ? now : SearchResult.found(now, otherwise);
        }

        private static J operation(J.MethodInvocation call, String name) {
            String action = ACTIONS.get(name);
            if (action != null) {
                return named(call, action);
            }
            String count = COUNTS.get(name);
            Expression pool = call.getSelect();
            if (count == null || pool == null) {
                return call;
            }
            J.MethodInvocation stats = named(call, "stats")
                    .withId(Tree.randomId())
                    .withPrefix(Space.EMPTY)
                    .withMarkers(Markers.EMPTY);
            return named(call, count).getPadding().withSelect(JRightPadded.build((Expression) stats));
        }

        private static J.MethodInvocation named(J.MethodInvocation call, String name) {
            JavaType.Method type =
                    call.getMethodType() == null ? null : call.getMethodType().withName(name);
            return call.withName(call.getName().withSimpleName(name).withType(type))
                    .withMethodType(type);
        }
    }
}

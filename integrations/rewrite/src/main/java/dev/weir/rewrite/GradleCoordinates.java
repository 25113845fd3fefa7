package dev.weir.rewrite;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.openrewrite.ExecutionContext;
import org.openrewrite.FindSourceFiles;
import org.openrewrite.Option;
import org.openrewrite.Preconditions;
import org.openrewrite.Recipe;
import org.openrewrite.TreeVisitor;
import org.openrewrite.java.JavaVisitor;
import org.openrewrite.java.tree.J;

/**
 * Exchanges HikariCP's coordinates, written as one string, in the build scripts of Gradle. It needs no model of the build, so
 * that it works on every script that can be read.
 */
public final class GradleCoordinates extends Recipe {
    private static final String HIKARI = "com.zaxxer:HikariCP";

    @Option(displayName = "Version", description = "The version of Weir.", example = "0.1.0")
    private final String version;

    /** Takes the version of Weir that a build is to depend on. */
    @JsonCreator
    public GradleCoordinates(@JsonProperty("version") String version) {
        this.version = version;
    }

    /** Returns the version of Weir that a build is to depend on. */
    public String getVersion() {
        return version;
    }

    @Override
    public String getDisplayName() {
        return "Depend on Weir in place of HikariCP in Gradle";
    }

    @Override
    public String getDescription() {
        return "Exchanges `com.zaxxer:HikariCP` in `build.gradle` and `build.gradle.kts`.";
    }

    @Override
    public TreeVisitor<?, ExecutionContext> getVisitor() {
        return Preconditions.check(new FindSourceFiles("**/build.gradle*"), new JavaVisitor<ExecutionContext>() {
            @Override
            public J visitLiteral(J.Literal literal, ExecutionContext context) {
                if (!(literal.getValue() instanceof String text)
                        || !(text.equals(HIKARI) || text.startsWith(HIKARI + ":"))) {
                    return literal;
                }
                String weir = text.equals(HIKARI) ? "dev.weir:weir" : "dev.weir:weir:" + version;
                String source = literal.getValueSource();
                return literal.withValue(weir).withValueSource(source == null ? null : source.replace(text, weir));
            }
        });
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof GradleCoordinates same && version.equals(same.version);
    }

    @Override
    public int hashCode() {
        return Objects.hash(version);
    }
}

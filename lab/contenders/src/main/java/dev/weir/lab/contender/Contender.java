package dev.weir.lab.contender;

import java.io.IOException;
import java.io.InputStream;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.security.CodeSource;
import java.util.List;
import java.util.Optional;
import java.util.Properties;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import org.jspecify.annotations.Nullable;

/** A connection pool: how it is opened, how its counts are read, and what it cannot be told to do. Immutable. */
public interface Contender {
    /** Returns the name in options, tables and files. */
    String name();

    /** Returns the class that its users make; null for what is no library. */
    @Nullable
    Class<?> type();

    /** Returns its version: in Maven's properties of its jar, else in the name of the jar; {@code -} for what is no library. */
    default String version() {
        Class<?> type = type();
        CodeSource source = type == null ? null : type.getProtectionDomain().getCodeSource();
        if (source == null) {
            return "-";
        }
        try {
            Path file = Path.of(source.getLocation().toURI());
            if (!file.toString().endsWith(".jar")) {
                return "as built";
            }
            try (JarFile jar = new JarFile(file.toFile())) {
                Optional<JarEntry> maven = jar.stream()
                        .filter(entry -> entry.getName().matches("META-INF/maven/.*/pom\\.properties"))
                        .findFirst();
                if (maven.isPresent()) {
                    Properties properties = new Properties();
                    try (InputStream in = jar.getInputStream(maven.get())) {
                        properties.load(in);
                    }
                    return properties.getProperty("version", "unknown");
                }
            }
            return file.getFileName()
                    .toString()
                    .replaceFirst("^.*?-(?=\\d)", "")
                    .replaceFirst("\\.jar$", "");
        } catch (IOException | URISyntaxException | RuntimeException e) {
            return "unknown";
        }
    }

    /** Returns what this pool does for each loan in a profile. */
    Terms terms(Profile profile);

    /** Returns what this pool cannot be told to do in a profile, in words; empty if nothing. */
    List<String> limits(Profile profile);

    /**
     * Checks a name in brackets.
     *
     * @throws IllegalArgumentException if this pool does not know it, naming what it knows
     */
    default void checkParameter(String parameter) {
        throw new IllegalArgumentException("pool %s: parameter %s (expected: none)".formatted(name(), parameter));
    }

    /** Returns whether it can be told how long a connection lies idle and how old it becomes, both in seconds. */
    default boolean agesInSeconds() {
        return true;
    }

    /** Returns the options without which it does not run on this JDK. */
    default List<String> jvmOptions() {
        return List.of();
    }

    /**
     * Opens a pool.
     *
     * @throws Exception whatever the pool throws
     */
    PoolUnderTest open(PoolSpec spec) throws Exception;
}

package dev.weir.rewrite;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.weir.WeirDataSource;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;
import org.openrewrite.ExecutionContext;
import org.openrewrite.InMemoryExecutionContext;
import org.openrewrite.Parser;
import org.openrewrite.Recipe;
import org.openrewrite.SourceFile;
import org.openrewrite.config.Environment;
import org.openrewrite.groovy.GroovyParser;
import org.openrewrite.internal.InMemoryLargeSourceSet;
import org.openrewrite.java.JavaParser;
import org.openrewrite.kotlin.KotlinParser;
import org.openrewrite.properties.PropertiesParser;
import org.openrewrite.quark.QuarkParser;
import org.openrewrite.text.PlainTextParser;
import org.openrewrite.xml.XmlParser;
import org.openrewrite.yaml.YamlParser;

/** The sources of a project by path, as the recipe finds and leaves them. */
final class Repository {
    private static final String STARTER = "    implementation 'dev.weir:weir-spring-boot-starter:0.1.0'\n";

    /** As much of Spring as the shapes name. */
    private static final String[] SPRING = {"""
        package org.springframework.boot.context.properties;
        public @interface ConfigurationProperties { String value() default ""; }
        """, """
        package org.springframework.context.annotation;
        public @interface Bean {}
        """, """
        package org.springframework.context.annotation;
        public @interface Configuration {}
        """, """
        package org.springframework.boot.jdbc;
        public final class DataSourceBuilder<T> {
            public static DataSourceBuilder<javax.sql.DataSource> create() { return null; }
            public <D> DataSourceBuilder<D> type(Class<D> type) { return null; }
            public T build() { return null; }
        }
        """, """
        package library;
        public final class Metrics {
            public static void bind(com.zaxxer.hikari.HikariDataSource pool) {}
        }
        """};

    private static final Recipe RECIPE = Environment.builder()
            .scanRuntimeClasspath("dev.weir.rewrite")
            .build()
            .activateRecipes("dev.weir.rewrite.FromHikariCP");

    private static final List<Path> CLASS_PATH = Stream.of(HikariDataSource.class, WeirDataSource.class)
            .map(Repository::place)
            .toList();

    private final Map<String, String> files;

    private Repository(Map<String, String> files) {
        this.files = files;
    }

    private static Path place(Class<?> type) {
        try {
            return Path.of(
                    type.getProtectionDomain().getCodeSource().getLocation().toURI());
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }

    static Repository of(String... pathsAndTexts) {
        Map<String, String> files = new TreeMap<>();
        for (int i = 0; i < pathsAndTexts.length; i += 2) {
            files.put(pathsAndTexts[i], pathsAndTexts[i + 1]);
        }
        return new Repository(files);
    }

    /** One Java source in a build without Spring. */
    static Repository java(String text) {
        return of("build.gradle", gradle(""), "src/main/java/shop/Shop.java", "package shop;\n\n" + text);
    }

    /** Spring Boot's configuration in a build with Weir's starter. */
    static Repository boot(String... pathsAndTexts) {
        Repository repository = of(pathsAndTexts);
        repository.files.put("build.gradle", gradle(STARTER));
        return repository;
    }

    static String gradle(String more) {
        return "dependencies {\n    implementation 'com.zaxxer:HikariCP:7.1.0'\n" + more + "}\n";
    }

    String get(String path) {
        return String.valueOf(files.get(path));
    }

    /** The Java source of {@link #java}, without its package. */
    String shop() {
        return get("src/main/java/shop/Shop.java").replaceFirst("package shop;\n+", "");
    }

    Repository with(String path, String text) {
        Map<String, String> more = new TreeMap<>(files);
        more.put(path, text);
        return new Repository(more);
    }

    /** Runs the recipe; a second run changes nothing more. */
    Repository moved() {
        Repository once = run();
        assertThat(once.run().files).isEqualTo(once.files);
        return once;
    }

    private Repository run() {
        ExecutionContext context = new InMemoryExecutionContext(failure -> {
            throw new AssertionError(failure);
        });
        List<SourceFile> sources = new ArrayList<>();
        parse(
                JavaParser.fromJavaVersion()
                        .classpath(CLASS_PATH)
                        .dependsOn(SPRING)
                        .build(),
                ".java",
                sources);
        parse(GroovyParser.builder().build(), ".gradle", sources);
        parse(new YamlParser(), ".yml", sources);
        parse(new PropertiesParser(), ".properties", sources);
        parse(new XmlParser(), ".xml", sources);
        parse(new PlainTextParser(), ".toml", sources);
        parse(new PlainTextParser(), ".sbt", sources);
        parse(new PlainTextParser(), ".env", sources);
        parse(new PlainTextParser(), ".iml", sources);
        parse(new QuarkParser(), ".scala", sources);
        parse(new QuarkParser(), ".png", sources);
        if (Runtime.version().feature() < 25) {
            parse(KotlinParser.builder().classpath(CLASS_PATH).build(), ".kt", sources);
        } else {
            parse(
                    new PlainTextParser(),
                    ".kt",
                    sources); // the Kotlin in this version of OpenRewrite cannot be started there
        }
        Map<String, String> after = new TreeMap<>(files);
        RECIPE.run(new InMemoryLargeSourceSet(sources), context)
                .getChangeset()
                .getAllResults()
                .forEach(result -> {
                    SourceFile changed = result.getAfter();
                    after.put(changed.getSourcePath().toString(), changed.printAll());
                });
        return new Repository(after);
    }

    private void parse(Parser parser, String ending, List<SourceFile> sources) {
        List<Parser.Input> inputs = files.entrySet().stream()
                .filter(one -> one.getKey().endsWith(ending))
                .map(one -> Parser.Input.fromString(Path.of(one.getKey()), one.getValue()))
                .toList();
        parser.parseInputs(inputs, null, new InMemoryExecutionContext()).forEach(sources::add);
    }

    /** Whether nothing is marked, and HikariCP is named nowhere. */
    void isMoved() {
        files.forEach((path, text) -> assertThat(text)
                .as(path)
                .doesNotContain("to do", "com.zaxxer", "HikariDataSource", "datasource.hikari"));
        compiles();
    }

    /** Whether nothing but comments was changed. */
    void isLeft(Repository before) {
        files.forEach(
                (path, text) -> assertThat(text.replaceAll("(?:<!--|/\\*)~~\\(Weir, to do: .*?\\)~~>(?:-->|\\*/)", "")
                                .replaceAll("(?m)^ *# Weir, to do: .*\n", ""))
                        .as(path)
                        .isEqualTo(before.get(path)));
        compiles();
    }

    /** With HikariCP and Weir on the class path: the one where nothing, the other where everything is translated. */
    private void compiles() {
        try {
            Path folder = Files.createTempDirectory("rewrite");
            try {
                compile(folder);
            } finally {
                try (Stream<Path> all = Files.walk(folder)) {
                    all.sorted((a, b) -> b.compareTo(a)).map(Path::toFile).forEach(java.io.File::delete);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void compile(Path folder) throws IOException {
        List<Path> sources = new ArrayList<>();
        for (Map.Entry<String, String> one : files.entrySet()) {
            if (one.getKey().endsWith(".java")) {
                Path file = folder.resolve(one.getKey());
                Files.createDirectories(file.getParent());
                sources.add(Files.writeString(file, one.getValue()));
            }
        }
        for (String text : SPRING) {
            String type = text.replaceAll("(?s).*(?:class|@interface) (\\w+).*?\\{.*", "$1");
            Path file = Files.createDirectories(folder.resolve("stub" + sources.size()))
                    .resolve(type + ".java");
            sources.add(Files.writeString(file, text));
        }
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        StringWriter out = new StringWriter();
        boolean isGood = compiler.getTask(
                        out,
                        null,
                        null,
                        List.of("-proc:none", "-d", folder.toString(), "-cp", System.getProperty("java.class.path")),
                        null,
                        compiler.getStandardFileManager(null, null, null).getJavaFileObjectsFromPaths(sources))
                .call();
        assertThat(isGood).as(out + "\n" + files).isTrue();
    }
}

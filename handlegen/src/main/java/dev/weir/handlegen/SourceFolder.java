package dev.weir.handlegen;

import com.palantir.javapoet.JavaFile;
import com.palantir.javapoet.TypeSpec;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Sources of the pool's package, and the folder that they are written to. */
final class SourceFolder {
    static final String PACKAGE = "dev.weir";

    private SourceFolder() {}

    /** The text of each class, by its simple name. */
    static Map<String, String> textOf(List<TypeSpec> types) {
        Map<String, String> sources = new TreeMap<>();
        for (TypeSpec type : types) {
            JavaFile file = JavaFile.builder(PACKAGE, type)
                    .indent("    ")
                    .skipJavaLangImports(true)
                    .build();
            sources.put(type.name(), file.toString());
        }
        return sources;
    }

    /** Writes them below this root; a file that would not change is left alone, so that nothing is compiled anew. */
    static void write(Path root, Map<String, String> sources) throws IOException {
        Path folder = root.resolve(Path.of("", PACKAGE.split("\\.")));
        Files.createDirectories(folder);
        for (Map.Entry<String, String> source : sources.entrySet()) {
            Path file = folder.resolve(source.getKey() + ".java");
            boolean same = Files.exists(file) && Files.readString(file).equals(source.getValue());
            if (!same) {
                Files.writeString(file, source.getValue(), StandardCharsets.UTF_8);
            }
        }
    }
}

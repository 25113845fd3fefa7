package dev.weir.codegen;

import com.palantir.javapoet.ClassName;
import com.palantir.javapoet.JavaFile;
import com.palantir.javapoet.TypeSpec;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;

/** Sources of the pool's packages, and the folder that they are written to. */
final class SourceFolder {
    private final Map<String, JavaFile> files = new TreeMap<>();

    /** A class of what users see. */
    static ClassName api(String name) {
        return ClassName.get("dev.weir", name);
    }

    /** A class of one of the rooms within: settings, slots, handles. */
    static ClassName within(String room, String name) {
        return ClassName.get("dev.weir.internal." + room, name);
    }

    /** Adds a class, to be written into the package of this name. */
    SourceFolder add(ClassName name, TypeSpec type) {
        JavaFile file = JavaFile.builder(name.packageName(), type)
                .indent("    ")
                .skipJavaLangImports(true)
                .build();
        files.put(type.name(), file);
        return this;
    }

    /** The text of each class, by its simple name. */
    Map<String, String> text() {
        Map<String, String> text = new TreeMap<>();
        files.forEach((name, file) -> text.put(name, file.toString()));
        return text;
    }

    /** Writes them below this root; a file that would not change is left alone, so that nothing is compiled anew. */
    void write(Path root) throws IOException {
        for (Map.Entry<String, JavaFile> source : files.entrySet()) {
            Path folder = root.resolve(source.getValue().packageName().replace('.', '/'));
            Files.createDirectories(folder);
            Path file = folder.resolve(source.getKey() + ".java");
            String text = source.getValue().toString();
            boolean same = Files.exists(file) && Files.readString(file).equals(text);
            if (!same) {
                Files.writeString(file, text, StandardCharsets.UTF_8);
            }
        }
    }
}

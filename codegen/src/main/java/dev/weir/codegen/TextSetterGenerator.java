package dev.weir.codegen;

import static com.palantir.javapoet.MethodSpec.methodBuilder;
import static javax.lang.model.element.Modifier.ABSTRACT;
import static javax.lang.model.element.Modifier.PUBLIC;

import com.palantir.javapoet.AnnotationSpec;
import com.palantir.javapoet.ClassName;
import com.palantir.javapoet.TypeName;
import com.palantir.javapoet.TypeSpec;
import java.io.IOException;
import java.nio.file.Path;

/**
 * Writes a class with a setter for each name of each setting, from {@link SettingTable}: for frameworks that hand properties to
 * setters of the same name, as text.
 */
public final class TextSetterGenerator {
    private static final String NAME = "TextSetters";
    private static final TypeName TEXT = ClassName.get(String.class)
            .annotated(AnnotationSpec.builder(ClassName.get("org.jspecify.annotations", "Nullable"))
                    .build());

    private TextSetterGenerator() {}

    /**
     * Writes the source, in the package that is the second argument, below the folder that is the first; a file that would
     * not change is left alone.
     */
    public static void main(String[] args) throws IOException {
        if (args.length != 2) {
            throw new IllegalArgumentException(
                    "expected two arguments, the folder to write to and the package; got " + args.length);
        }
        sources(args[1]).write(Path.of(args[0]));
    }

    static SourceFolder sources(String packageName) {
        TypeSpec.Builder type = TypeSpec.classBuilder(NAME)
                .addModifiers(ABSTRACT)
                .addJavadoc("A setter for each setting, by its names. All take text.\n")
                .addMethod(methodBuilder("set")
                        .addJavadoc("Sets one by its name.\n")
                        .addModifiers(ABSTRACT)
                        .addParameter(String.class, "name")
                        .addParameter(TEXT, "value")
                        .build());
        for (SettingSpec spec : SettingTable.ALL) {
            addSetter(type, spec.name(), "Sets " + spec.name() + ".\n");
            for (String other : spec.otherNames()) {
                addSetter(type, other, "Sets " + spec.name() + ", by another name.\n");
            }
        }
        return new SourceFolder().add(ClassName.get(packageName, NAME), type.build());
    }

    private static void addSetter(TypeSpec.Builder type, String name, String javadoc) {
        type.addMethod(methodBuilder("set" + Character.toUpperCase(name.charAt(0)) + name.substring(1))
                .addJavadoc(javadoc)
                .addModifiers(PUBLIC)
                .addParameter(TEXT, "value")
                .addStatement("set($S, value)", name)
                .build());
    }
}

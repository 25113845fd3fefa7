package dev.weir.codegen;

import static com.palantir.javapoet.MethodSpec.methodBuilder;
import static javax.lang.model.element.Modifier.ABSTRACT;
import static javax.lang.model.element.Modifier.FINAL;
import static javax.lang.model.element.Modifier.PRIVATE;
import static javax.lang.model.element.Modifier.PUBLIC;
import static javax.lang.model.element.Modifier.STATIC;
import static javax.lang.model.element.Modifier.VOLATILE;

import com.palantir.javapoet.AnnotationSpec;
import com.palantir.javapoet.ClassName;
import com.palantir.javapoet.CodeBlock;
import com.palantir.javapoet.MethodSpec;
import com.palantir.javapoet.ParameterizedTypeName;
import com.palantir.javapoet.TypeName;
import com.palantir.javapoet.TypeSpec;
import com.palantir.javapoet.WildcardTypeName;
import dev.weir.codegen.SettingSpec.Kind;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Writes what is the same for every setting from {@link SettingTable}: the constants of {@code Setting}, the getters and
 * setters of {@code PoolConfig}, of the bean and of JMX, and the values that the engine reads. The effect of a setting is
 * written by hand, in the classes that extend these.
 */
public final class SettingGenerator {
    private static final ClassName SETTING = settings("Setting");
    private static final ClassName TYPE = settings("SettingType");
    private static final ClassName DURATIONS = settings("Durations");
    private static final ClassName RULES = settings("SettingRules");
    private static final ClassName CONFIGURATION = settings("Configuration");
    private static final ClassName CONFIG = SourceFolder.api("PoolConfig");
    private static final TypeName OBJECT_OR_NULL = orNull(ClassName.get(Object.class));
    private static final TypeName STRING_OR_NULL = orNull(ClassName.get(String.class));
    private static final String AS_TEXT =
            "The text is a number of milliseconds, or has a unit, as 1500ms, 30s and 5m have," + " or is ISO-8601.";

    private SettingGenerator() {}

    private static ClassName settings(String name) {
        return SourceFolder.within("settings", name);
    }

    private static TypeName orNull(TypeName type) {
        return type.annotated(AnnotationSpec.builder(ClassName.get("org.jspecify.annotations", "Nullable"))
                .build());
    }

    /** Writes the sources below the folder given as the only argument; files that would not change are left alone. */
    public static void main(String[] args) throws IOException {
        if (args.length != 2) {
            throw new IllegalArgumentException(
                    "expected two arguments, the folder to write to and the version; got " + args.length);
        }
        sources().add(SourceFolder.within("text", "Version"), version(args[1])).write(Path.of(args[0]));
    }

    /** In the code itself: in a jar with much else the manifest is that of the application. */
    private static TypeSpec version(String version) {
        return TypeSpec.classBuilder("Version")
                .addJavadoc("The version of this build.\n")
                .addModifiers(PUBLIC, FINAL)
                .addMethod(MethodSpec.constructorBuilder().addModifiers(PRIVATE).build())
                .addMethod(MethodSpec.methodBuilder("text")
                        .addJavadoc("Returns it as it is written, such as 1.2.3.\n")
                        .addModifiers(PUBLIC, STATIC)
                        .returns(String.class)
                        .addStatement("return $S", version)
                        .build())
                .build();
    }

    static SourceFolder sources() {
        return new SourceFolder()
                .add(SETTING, setting())
                .add(SourceFolder.api("ConfigValues"), configValues())
                .add(SourceFolder.api("ConfigSetters"), configSetters())
                .add(SourceFolder.api("DataSourceBean"), dataSourceBean())
                .add(SourceFolder.api("ChangeableSettings"), changeableSettings())
                .add(SourceFolder.api("ChangeableSettingsBean"), changeableSettingsBean())
                .add(settings("EngineSettings"), engineSettings());
    }

    private static TypeSpec setting() {
        TypeSpec.Builder type = TypeSpec.enumBuilder("Setting")
                .addJavadoc(javadoc("The settings, in the order of the documentation."))
                .addModifiers(PUBLIC)
                .addSuperinterface(RULES);
        for (SettingSpec spec : SettingTable.ALL) {
            CodeBlock otherNames = spec.otherNames().stream()
                    .map(other -> CodeBlock.of("$S", other))
                    .collect(CodeBlock.joining(", "));
            CodeBlock values = CodeBlock.of(
                    "$>$>\n$S, $T.$L, $L, $L, $L, $L,\n$S,\n$T.of($L)$<$<",
                    spec.name(),
                    TYPE,
                    spec.kind(),
                    value(spec, spec.byDefault()),
                    value(spec, spec.least()),
                    value(spec, spec.most()),
                    spec.changeable(),
                    spec.doc(),
                    List.class,
                    otherNames);
            type.addEnumConstant(
                    spec.constant(),
                    TypeSpec.anonymousClassBuilder("$L", values)
                            .addJavadoc(javadoc(sentence("", spec, "")))
                            .build());
        }
        TypeName bound = orNull(
                ParameterizedTypeName.get(ClassName.get(Comparable.class), WildcardTypeName.subtypeOf(Object.class)));
        MethodSpec.Builder constructor = MethodSpec.constructorBuilder();
        addColumn(type, constructor, "settingName", ClassName.get(String.class));
        addColumn(type, constructor, "type", TYPE);
        addColumn(type, constructor, "byDefault", OBJECT_OR_NULL);
        addColumn(type, constructor, "least", bound);
        addColumn(type, constructor, "most", bound);
        addColumn(type, constructor, "changeable", TypeName.BOOLEAN);
        addColumn(type, constructor, "doc", ClassName.get(String.class));
        addColumn(type, constructor, "aliases", ParameterizedTypeName.get(List.class, String.class));
        return type.addMethod(constructor.build()).build();
    }

    private static void addColumn(
            TypeSpec.Builder type, MethodSpec.Builder constructor, String name, TypeName columnType) {
        type.addField(columnType, name, PRIVATE, FINAL);
        constructor.addParameter(columnType, name).addStatement("this.$1N = $1N", name);
        type.addMethod(methodBuilder(name)
                .addAnnotation(Override.class)
                .addModifiers(PUBLIC)
                .returns(columnType)
                .addStatement("return $N", name)
                .build());
    }

    private static CodeBlock value(SettingSpec spec, @Nullable String text) {
        if (text == null) {
            return CodeBlock.of("null");
        }
        return switch (spec.kind()) {
            case DURATION -> CodeBlock.of("$T.parse($S)", DURATIONS, text);
            case POOL_MODE -> CodeBlock.of("$S", text);
            default -> CodeBlock.of("$L", text);
        };
    }

    private static TypeSpec configValues() {
        TypeSpec.Builder type = abstractClass("ConfigValues", "The settings as {@link PoolConfig} has them.")
                .addMethod(methodBuilder("get")
                        .addJavadoc(javadoc("The value in force, or null for none."))
                        .addModifiers(ABSTRACT)
                        .returns(OBJECT_OR_NULL)
                        .addParameter(SETTING, "setting")
                        .build())
                .addMethod(required("get"));
        for (SettingSpec spec : SettingTable.ALL) {
            String form = spec.kind() == Kind.ISOLATION ? " as its JDBC number" : "";
            type.addMethod(methodBuilder(spec.name())
                    .addJavadoc(javadoc(sentence("Returns ", spec, form)))
                    .addModifiers(PUBLIC)
                    .returns(publicType(spec))
                    .addStatement(cast(spec, publicType(spec), "get"))
                    .build());
        }
        return type.build();
    }

    private static TypeSpec configSetters() {
        ClassName builder = CONFIG.nestedClass("Builder");
        TypeSpec.Builder type = abstractClass("ConfigSetters", "The settings as {@link PoolConfig.Builder} takes them.")
                .addMethod(methodBuilder("set")
                        .addJavadoc(javadoc("Sets a value; null goes back to the default."))
                        .addModifiers(ABSTRACT)
                        .returns(builder)
                        .addParameter(SETTING, "setting")
                        .addParameter(OBJECT_OR_NULL, "value")
                        .build());
        for (SettingSpec spec : SettingTable.ALL) {
            boolean isolation = spec.kind() == Kind.ISOLATION;
            Function<TypeName, MethodSpec.Builder> setter = parameter -> methodBuilder(spec.name())
                    .addModifiers(PUBLIC)
                    .returns(builder)
                    .addParameter(parameter, "value")
                    .addStatement("return set($T.$L, value)", SETTING, spec.constant());
            type.addMethod(setter.apply(publicType(spec))
                    .addJavadoc(setterDoc(spec, isolation ? " as its JDBC number" : ""))
                    .build());
            if (isolation) {
                type.addMethod(setter.apply(ClassName.get(String.class))
                        .addJavadoc(javadoc(
                                "Sets " + spec.what() + " as its name, with or without TRANSACTION_ before it."))
                        .build());
            }
        }
        return type.build();
    }

    private static TypeSpec dataSourceBean() {
        TypeSpec.Builder type = abstractClass(
                        "DataSourceBean",
                        "The settings as bean properties, for whatever configures a DataSource by reflection. Times have two"
                                + " more setters, one for text and one for milliseconds. Other names of a setting have a setter only, so that each property is"
                                + " read once.")
                .addMethod(methodBuilder("value")
                        .addJavadoc(javadoc("The value in force, or null for none."))
                        .addModifiers(ABSTRACT)
                        .returns(OBJECT_OR_NULL)
                        .addParameter(SETTING, "setting")
                        .build())
                .addMethod(methodBuilder("change")
                        .addJavadoc(javadoc("Sets a value; null goes back to the default."))
                        .addModifiers(ABSTRACT)
                        .addParameter(SETTING, "setting")
                        .addParameter(OBJECT_OR_NULL, "value")
                        .build())
                .addMethod(required("value"));
        SettingTable.ALL.forEach(spec -> addProperty(type, spec));
        for (SettingSpec spec : SettingTable.ALL) {
            for (String other : spec.otherNames()) {
                type.addMethod(beanSetter(capitalized(other), publicType(spec))
                        .addJavadoc(javadoc("Sets the " + spec.name() + "."))
                        .addStatement("change($T.$L, value)", SETTING, spec.constant())
                        .build());
            }
        }
        return type.build();
    }

    private static void addProperty(TypeSpec.Builder type, SettingSpec spec) {
        boolean isolation = spec.kind() == Kind.ISOLATION;
        boolean isPrimitiveFlag = publicType(spec).equals(TypeName.BOOLEAN);
        TypeName beanType = isolation ? STRING_OR_NULL : publicType(spec);
        MethodSpec.Builder getter = methodBuilder((isPrimitiveFlag ? "is" : "get") + capitalized(spec.name()))
                .addJavadoc(javadoc(sentence("Returns ", spec, isolation ? " as its name" : "")))
                .addModifiers(PUBLIC)
                .returns(beanType);
        if (isolation) {
            getter.addStatement("Object level = value($T.$L)", SETTING, spec.constant())
                    .addStatement("return level == null ? null : $T.ISOLATION.write(level)", TYPE);
        } else {
            getter.addStatement(cast(spec, beanType, "value"));
        }
        type.addMethod(getter.build());
        CodeBlock change = CodeBlock.of("change($T.$L, value)", SETTING, spec.constant());
        type.addMethod(beanSetter(capitalized(spec.name()), beanType)
                .addJavadoc(setterDoc(spec, isolation ? " as its name or JDBC number" : ""))
                .addStatement(change)
                .build());
        if (spec.kind() == Kind.DURATION) {
            type.addMethod(beanSetter(capitalized(spec.name()), ClassName.get(String.class))
                    .addJavadoc(javadoc(sentence("Sets ", spec, "") + " " + AS_TEXT, spec.details()))
                    .addStatement(change)
                    .build());
            type.addMethod(methodBuilder("set" + capitalized(spec.name()))
                    .addModifiers(PUBLIC)
                    .addParameter(TypeName.LONG, "millis")
                    .addJavadoc(javadoc(sentence("Sets ", spec, "") + " In milliseconds.", spec.details()))
                    .addStatement("set$L($T.ofMillis(millis))", capitalized(spec.name()), Duration.class)
                    .build());
        }
    }

    private static MethodSpec.Builder beanSetter(String name, TypeName type) {
        return methodBuilder("set" + name).addModifiers(PUBLIC).addParameter(type, "value");
    }

    /** It is public, since JMX calls only methods of public interfaces. */
    private static TypeSpec changeableSettings() {
        TypeSpec.Builder type = TypeSpec.interfaceBuilder("ChangeableSettings")
                .addJavadoc(
                        javadoc("The settings that can be changed while the pool runs, as JMX shows them. Times are in"
                                + " milliseconds. A change takes effect at once; a wrong value is refused with an"
                                + " IllegalArgumentException that names the setting. Thread-safe."))
                .addModifiers(PUBLIC);
        for (SettingSpec spec : changeable()) {
            type.addMethod(jmxGetter(spec)
                    .addJavadoc(javadoc(sentence("Returns ", spec, "")))
                    .addModifiers(ABSTRACT)
                    .build());
            type.addMethod(jmxSetter(spec)
                    .addJavadoc(setterDoc(spec, ""))
                    .addModifiers(ABSTRACT)
                    .build());
        }
        return type.build();
    }

    private static TypeSpec changeableSettingsBean() {
        TypeSpec.Builder type = abstractClass("ChangeableSettingsBean", "Shows these settings to JMX.")
                .addSuperinterface(SourceFolder.api("ChangeableSettings"))
                .addMethod(methodBuilder("value")
                        .addJavadoc(javadoc("The value in force."))
                        .addModifiers(ABSTRACT)
                        .returns(Object.class)
                        .addParameter(SETTING, "setting")
                        .build())
                .addMethod(methodBuilder("change")
                        .addJavadoc(javadoc("Sets a value."))
                        .addModifiers(ABSTRACT)
                        .addParameter(SETTING, "setting")
                        .addParameter(Object.class, "value")
                        .build());
        for (SettingSpec spec : changeable()) {
            boolean time = spec.kind() == Kind.DURATION;
            type.addMethod(jmxGetter(spec)
                    .addAnnotation(Override.class)
                    .addStatement(
                            time ? "return (($T) value($T.$L)).toMillis()" : "return ($T) value($T.$L)",
                            publicType(spec),
                            SETTING,
                            spec.constant())
                    .build());
            type.addMethod(jmxSetter(spec)
                    .addAnnotation(Override.class)
                    .addStatement("change($T.$L, $L)", SETTING, spec.constant(), jmxParameter(spec))
                    .build());
        }
        return type.build();
    }

    private static List<SettingSpec> changeable() {
        return SettingTable.ALL.stream().filter(SettingSpec::changeable).toList();
    }

    private static MethodSpec.Builder jmxGetter(SettingSpec spec) {
        return methodBuilder("get" + capitalized(spec.name()))
                .addModifiers(PUBLIC)
                .returns(engineType(spec));
    }

    private static MethodSpec.Builder jmxSetter(SettingSpec spec) {
        return methodBuilder("set" + capitalized(spec.name()))
                .addModifiers(PUBLIC)
                .addParameter(engineType(spec), jmxParameter(spec));
    }

    private static String jmxParameter(SettingSpec spec) {
        return spec.kind() == Kind.DURATION ? "millis" : "value";
    }

    private static TypeSpec engineSettings() {
        TypeSpec.Builder type = abstractClass(
                        "EngineSettings",
                        "The settings in force in one pool, in the units of the engine. Those that can be changed while it runs are"
                                + " volatile, each one for itself.")
                .addModifiers(PUBLIC);
        MethodSpec.Builder constructor = MethodSpec.constructorBuilder().addParameter(CONFIGURATION, "config");
        MethodSpec.Builder publish = methodBuilder("publish")
                .addJavadoc(javadoc("Puts in force what can be changed while the pool runs."))
                .addModifiers(FINAL)
                .addParameter(CONFIGURATION, "config");
        List<SettingSpec> read =
                SettingTable.ALL.stream().filter(SettingSpec::inEngine).toList();
        for (SettingSpec spec : read) {
            boolean time = spec.kind() == Kind.DURATION;
            String name = engineName(spec);
            type.addField(engineType(spec), name, PRIVATE, spec.changeable() ? VOLATILE : FINAL);
            (spec.changeable() ? publish : constructor)
                    .addStatement(
                            time ? "this.$L = (($T) config.$L($T.$L)).toNanos()" : "this.$L = ($T) config.$L($T.$L)",
                            name,
                            publicType(spec),
                            spec.alwaysThere() ? "required" : "get",
                            SETTING,
                            spec.constant());
        }
        type.addMethod(constructor.addStatement("publish(config)").build()).addMethod(publish.build());
        for (SettingSpec spec : read) {
            type.addMethod(methodBuilder(engineName(spec))
                    .addModifiers(PUBLIC, FINAL)
                    .returns(engineType(spec))
                    .addStatement("return $L", engineName(spec))
                    .build());
        }
        return type.build();
    }

    private static String engineName(SettingSpec spec) {
        return spec.kind() == Kind.DURATION ? spec.name() + "Nanos" : spec.name();
    }

    /** In the engine and in JMX, times are numbers. */
    private static TypeName engineType(SettingSpec spec) {
        return spec.kind() == Kind.DURATION ? TypeName.LONG : publicType(spec);
    }

    private static TypeName publicType(SettingSpec spec) {
        return switch (spec.kind()) {
            case TEXT, NAME, SECRET, LIVENESS -> STRING_OR_NULL;
            case POOL_MODE -> ClassName.get(String.class);
            case INTEGER -> TypeName.INT;
            case BOOLEAN -> spec.alwaysThere() ? TypeName.BOOLEAN : orNull(ClassName.get(Boolean.class));
            case DURATION -> ClassName.get(Duration.class);
            case ISOLATION -> orNull(ClassName.get(Integer.class));
        };
    }

    private static TypeSpec.Builder abstractClass(String name, String what) {
        return TypeSpec.classBuilder(name).addJavadoc(javadoc(what)).addModifiers(ABSTRACT);
    }

    /** The value of a setting that always has one. */
    private static MethodSpec required(String source) {
        return methodBuilder("required")
                .addJavadoc(javadoc("The value of a setting that always has one."))
                .returns(Object.class)
                .addParameter(SETTING, "setting")
                .addStatement("return $T.requireNonNull($L(setting), setting.settingName())", Objects.class, source)
                .build();
    }

    private static CodeBlock cast(SettingSpec spec, TypeName type, String source) {
        return CodeBlock.of(
                "return ($T) $L($T.$L)", type, spec.alwaysThere() ? "required" : source, SETTING, spec.constant());
    }

    /** "Returns the driver class for the url, or null for the one that accepts it." */
    private static String sentence(String verb, SettingSpec spec, String form) {
        boolean flag = spec.kind() == Kind.BOOLEAN && spec.alwaysThere();
        String text = verb + (flag ? "whether " : "") + spec.what() + form + spec.unset() + ".";
        return Character.toUpperCase(text.charAt(0)) + text.substring(1);
    }

    private static CodeBlock setterDoc(SettingSpec spec, String form) {
        boolean flag = spec.kind() == Kind.BOOLEAN && spec.alwaysThere();
        return javadoc(sentence(flag ? "Says " : "Sets ", spec, form), spec.details());
    }

    private static String capitalized(String name) {
        return Character.toUpperCase(name.charAt(0)) + name.substring(1);
    }

    /** Paragraphs in lines that are not too long. */
    private static CodeBlock javadoc(String... paragraphs) {
        StringBuilder text = new StringBuilder();
        for (String paragraph : paragraphs) {
            if (paragraph.isEmpty()) {
                continue;
            }
            int column = 0;
            text.append(text.isEmpty() ? "" : "\n\n<p>");
            for (String word : paragraph.split(" ", -1)) {
                boolean breaks = column + word.length() > 100;
                text.append(column == 0 ? "" : breaks ? "\n" : " ").append(word);
                column = (breaks ? 0 : column + 1) + word.length();
            }
        }
        return CodeBlock.of("$L\n", text);
    }
}

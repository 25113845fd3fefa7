package dev.weir.codegen;

import static javax.lang.model.element.Modifier.ABSTRACT;
import static javax.lang.model.element.Modifier.STATIC;

import com.palantir.javapoet.AnnotationSpec;
import com.palantir.javapoet.ClassName;
import com.palantir.javapoet.MethodSpec;
import com.palantir.javapoet.TypeName;
import com.palantir.javapoet.TypeSpec;
import java.sql.Array;
import java.sql.Blob;
import java.sql.Clob;
import java.sql.DatabaseMetaData;
import java.sql.NClob;
import java.sql.ParameterMetaData;
import java.sql.Ref;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.SQLXML;
import java.sql.Struct;
import java.util.List;
import java.util.Set;

/**
 * Writes the overloads of {@code Wrapping} that are alike, one for each type: to put a handle around what the driver returns
 * ({@code wrap}) or made for the user ({@code wrapCreated}), and to take it off what is passed to the driver ({@code physical}).
 */
final class WrappingByType {
    private static final ClassName NAME = SourceFolder.within("handles", "WrappingByType");
    private static final ClassName WRAPPING = SourceFolder.within("handles", "Wrapping");
    private static final ClassName NULLABLE = ClassName.get("org.jspecify.annotations", "Nullable");

    private static final List<Class<?>> VALUES = List.of(
            Array.class,
            Blob.class,
            Clob.class,
            NClob.class,
            SQLXML.class,
            Struct.class,
            Ref.class,
            DatabaseMetaData.class,
            ResultSetMetaData.class,
            ParameterMetaData.class);

    /** Values that a connection makes for its user, and its user frees. */
    private static final List<Class<?>> CREATED =
            List.of(Array.class, Blob.class, Clob.class, NClob.class, SQLXML.class);

    /** Values that a user may pass to the driver, and may have got from it. */
    private static final List<Class<?>> PASSED =
            List.of(Array.class, Blob.class, Clob.class, NClob.class, SQLXML.class, Ref.class);

    private WrappingByType() {}

    static boolean wraps(Class<?> type) {
        return VALUES.contains(type) || StreamHandles.STREAMS.contains(type);
    }

    static boolean unwraps(Class<?> type) {
        return PASSED.contains(type) || Set.of(Object.class, Object[].class).contains(type);
    }

    static void addTo(SourceFolder sources) {
        TypeSpec.Builder type = TypeSpec.classBuilder(NAME)
                .addModifiers(ABSTRACT)
                .addJavadoc(
                        "The overloads of {@link $T} that are alike. Written by weir-codegen at build time.\n",
                        WRAPPING);
        StreamHandles.STREAMS.forEach(stream -> type.addMethod(wrap(stream, "AbstractConnectionHandle")));
        VALUES.forEach(value -> type.addMethod(wrap(value, "ConnectionHandle")));
        CREATED.forEach(value -> type.addMethod(wrapCreated(value)));
        PASSED.forEach(value -> type.addMethod(physical(value)));
        sources.add(NAME, type.build());
    }

    private static MethodSpec wrap(Class<?> type, String connection) {
        return method("wrap", type, connection)
                .addStatement(
                        "return physical == null ? null : new $T(connection, physical)",
                        SourceFolder.within("handles", type.getSimpleName() + "Handle"))
                .build();
    }

    private static MethodSpec wrapCreated(Class<?> type) {
        return method("wrapCreated", type, "ConnectionHandle")
                .addException(SQLException.class)
                .addStatement(
                        "return physical == null ? null : $T.wrapCreated(new $T(connection, physical), physical, physical::free)",
                        WRAPPING,
                        SourceFolder.within("handles", type.getSimpleName() + "Handle"))
                .build();
    }

    /** Of a Clob that is an NClob the handle is one too. */
    private static MethodSpec.Builder method(String name, Class<?> type, String connection) {
        MethodSpec.Builder method = MethodSpec.methodBuilder(name)
                .addModifiers(STATIC)
                .returns(orNull(type))
                .addParameter(SourceFolder.within("handles", connection), "connection")
                .addParameter(orNull(type), "physical");
        if (type == Clob.class) {
            method.beginControlFlow("if (physical instanceof $T national)", NClob.class)
                    .addStatement("return $L(connection, national)", name)
                    .endControlFlow();
        }
        return method;
    }

    private static MethodSpec physical(Class<?> type) {
        return MethodSpec.methodBuilder("physical")
                .addModifiers(STATIC)
                .addException(SQLException.class)
                .returns(orNull(type))
                .addParameter(orNull(type), "value")
                .addStatement(
                        "return value instanceof $T handle ? ($T) $T.open(handle) : value",
                        SourceFolder.within("handles", "AbstractHandle"),
                        type,
                        WRAPPING)
                .build();
    }

    private static TypeName orNull(Class<?> type) {
        return TypeName.get(type).annotated(AnnotationSpec.builder(NULLABLE).build());
    }
}

package dev.weir.codegen;

import static javax.lang.model.element.Modifier.FINAL;
import static javax.lang.model.element.Modifier.PUBLIC;

import com.palantir.javapoet.AnnotationSpec;
import com.palantir.javapoet.ClassName;
import com.palantir.javapoet.CodeBlock;
import com.palantir.javapoet.MethodSpec;
import com.palantir.javapoet.TypeSpec;
import java.lang.reflect.Method;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import java.util.List;
import java.util.Set;

/**
 * Writes the two classes of the modes in which a user has a connection of the database for a while only: the connection,
 * and its metadata. Each method that is not written by hand has the connection bound, calls the handle of the loan, and says that
 * it is done.
 */
final class BindingGenerator {
    private static final ClassName BOUND = SourceFolder.within("binding", "Bound");

    /** Methods that are not asked of a connection that is bound for nothing but them, or that the handle answers by itself. */
    private static final HandleSpec CONNECTION = new HandleSpec(
            Connection.class,
            "PropertyBinding",
            true,
            Set.of(
                    "unwrap",
                    "isWrapperFor",
                    "close",
                    "isClosed",
                    "abort",
                    "isValid",
                    "commit",
                    "rollback()",
                    "beginRequest",
                    "endRequest",
                    "getMetaData",
                    "getWarnings",
                    "clearWarnings",
                    "getAutoCommit",
                    "setAutoCommit",
                    "isReadOnly",
                    "setReadOnly",
                    "getTransactionIsolation",
                    "setTransactionIsolation",
                    "getCatalog",
                    "setCatalog",
                    "getSchema",
                    "setSchema",
                    "getHoldability",
                    "setHoldability",
                    "getNetworkTimeout",
                    "setNetworkTimeout",
                    "getTypeMap",
                    "setTypeMap",
                    "getClientInfo",
                    "setClientInfo"));

    private static final HandleSpec META_DATA = new HandleSpec(
            DatabaseMetaData.class,
            "AbstractMetaData",
            false,
            Set.of(
                    "unwrap",
                    "isWrapperFor",
                    "getConnection",
                    "isReadOnly",
                    "getDriverMajorVersion",
                    "getDriverMinorVersion"));

    private BindingGenerator() {}

    static void addTo(SourceFolder sources) {
        TypeSpec.Builder connection = type("BindingHandle", CONNECTION)
                .addMethod(MethodSpec.constructorBuilder()
                        .addParameter(SourceFolder.within("binding", "Binder"), "binder")
                        .addStatement("super(binder)")
                        .build());
        for (Method method : HandleGenerator.methods(CONNECTION)) {
            connection.addMethod(HandleGenerator.signature(method)
                    .addCode(call("", method.getReturnType() == void.class, call("bound.handle()", method)))
                    .build());
        }
        CONNECTION.younger().forEach(method -> connection.addMethod(younger(method)));
        sources.add(SourceFolder.within("binding", "BindingHandle"), connection.build());

        TypeSpec.Builder metaData = type("BindingMetaData", META_DATA)
                .addMethod(MethodSpec.constructorBuilder()
                        .addParameter(SourceFolder.within("binding", "AbstractBinding"), "binding")
                        .addStatement("super(binding)")
                        .build());
        for (Method method : HandleGenerator.methods(META_DATA)) {
            metaData.addMethod(HandleGenerator.signature(method)
                    .addCode(ofMetaData(method))
                    .build());
        }
        sources.add(SourceFolder.within("binding", "BindingMetaData"), metaData.build());
    }

    private static TypeSpec.Builder type(String name, HandleSpec spec) {
        return TypeSpec.classBuilder(name)
                .addModifiers(FINAL)
                .addJavadoc(
                        "A {@link $T} that has one of the database while it needs it. Written by weir-codegen at build time.\n",
                        spec.jdbc())
                .addAnnotation(AnnotationSpec.builder(SuppressWarnings.class)
                        .addMember("value", "$S", "deprecation")
                        .build())
                .superclass(SourceFolder.within("binding", spec.base()))
                .addSuperinterface(spec.jdbc());
    }

    private static MethodSpec younger(HandleSpec.Younger method) {
        MethodSpec.Builder built = MethodSpec.methodBuilder(method.name())
                .addJavadoc("Overrides what the interface has from JDBC 4.5 on.\n")
                .addModifiers(PUBLIC)
                .addException(SQLException.class)
                .returns(method.returned());
        for (int i = 0; i < method.parameters().size(); i++) {
            built.addParameter(method.parameters().get(i), method.names().get(i));
        }
        CodeBlock call = CodeBlock.of("bound.handle().$L($L)", method.name(), String.join(", ", method.names()));
        return built.addCode(call("", false, call)).build();
    }

    private static CodeBlock call(String on, Method method) {
        List<String> names = ParameterNames.of(method);
        return CodeBlock.of("$L.$L($L)", on, method.getName(), String.join(", ", names));
    }

    private static CodeBlock call(String binding, boolean isVoid, CodeBlock call) {
        return CodeBlock.builder()
                .addStatement("$T bound = $Lenter()", BOUND, binding)
                .beginControlFlow("try")
                .addStatement(isVoid ? CodeBlock.of("$L", call) : CodeBlock.of("return $L", call))
                .nextControlFlow("finally")
                .addStatement("$Lleave(bound)", binding)
                .endControlFlow()
                .build();
    }

    /** What has no parameters and is no result set is the same for all connections of a pool, and asked once. */
    private static CodeBlock ofMetaData(Method method) {
        Class<?> type = method.getReturnType();
        CodeBlock call = call("bound.handle().getMetaData()", method);
        boolean constant = method.getParameterCount() == 0
                && !java.sql.ResultSet.class.isAssignableFrom(type)
                && !method.getName().equals("getDefaultTransactionIsolation"); // PostgreSQL's is that of the session
        if (!constant) {
            return call("binding.", type == void.class, call);
        }
        String name = method.getName();
        return CodeBlock.builder()
                .addStatement("$T known = known($S)", Object.class, name)
                .beginControlFlow("if (known != null)")
                .addStatement("return ($T) known", type)
                .endControlFlow()
                .add(call("binding.", false, CodeBlock.of("keep($S, $L)", name, call)))
                .build();
    }
}

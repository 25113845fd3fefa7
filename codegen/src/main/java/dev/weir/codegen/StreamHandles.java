package dev.weir.codegen;

import static javax.lang.model.element.Modifier.FINAL;
import static javax.lang.model.element.Modifier.PRIVATE;
import static javax.lang.model.element.Modifier.PUBLIC;

import com.palantir.javapoet.CodeBlock;
import com.palantir.javapoet.MethodSpec;
import com.palantir.javapoet.TypeSpec;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.Reader;
import java.io.Writer;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Set;

/**
 * Writes the handles of the four kinds of stream. Each dies with the loan: every call on it after that throws an IOException and
 * none reaches the driver, close() and flush() do nothing then.
 *
 * <p>At the end of the loan the driver's stream is let go, not closed. To close one may write what it holds back into a large
 * object: work that its user never asked for, over the network, in a transaction that is about to be rolled back, or in a new
 * one. Nothing is lost by it: what a stream holds at the server (the descriptor of a large object, a cursor) ends with its
 * transaction or statement, both of which the return of the connection ends, and the bytes that it holds here go with it.
 */
final class StreamHandles {
    static final List<Class<?>> STREAMS = List.of(InputStream.class, Reader.class, OutputStream.class, Writer.class);

    /** The methods that a handle passes on; all others of a stream end in these. */
    private static final Set<String> PASSED_ON =
            Set.of("read", "write", "skip", "available", "ready", "markSupported", "mark", "reset", "flush", "close");

    /** These do nothing after the end of the loan. */
    private static final Set<String> AT_THE_END = Set.of("flush", "close");

    private StreamHandles() {}

    static void addTo(SourceFolder sources) {
        for (Class<?> stream : STREAMS) {
            sources.add(SourceFolder.within("handles", stream.getSimpleName() + "Handle"), handle(stream));
        }
    }

    private static TypeSpec handle(Class<?> stream) {
        TypeSpec.Builder type = TypeSpec.classBuilder(stream.getSimpleName() + "Handle")
                .addModifiers(FINAL)
                .addJavadoc("""
                        The handle of the driver's {@link $T}; it dies with the loan, and the driver's is not closed then.
                        Written by weir-codegen at build time, see there why.
                        """, stream)
                .superclass(stream)
                .addField(SourceFolder.within("handles", "AbstractConnectionHandle"), "connection", PRIVATE, FINAL)
                .addField(stream, "physical", PRIVATE, FINAL)
                .addMethod(MethodSpec.constructorBuilder()
                        .addParameter(SourceFolder.within("handles", "AbstractConnectionHandle"), "connection")
                        .addParameter(stream, "physical")
                        .addStatement("this.connection = connection")
                        .addStatement("this.physical = physical")
                        .build());
        Arrays.stream(stream.getMethods())
                .filter(StreamHandles::isPassedOn)
                .sorted(Comparator.comparing(Method::getName)
                        .thenComparing(Method::getParameterCount)
                        .thenComparing(Method::toGenericString))
                .forEach(method -> type.addMethod(method(method)));
        return type.build();
    }

    /** Those that take a whole array, text or buffer end in the one that takes a part of it. */
    private static boolean isPassedOn(Method method) {
        Class<?>[] types = method.getParameterTypes();
        boolean takesAll = types.length == 1 && !types[0].isPrimitive();
        return PASSED_ON.contains(method.getName()) && !takesAll && !Modifier.isStatic(method.getModifiers());
    }

    private static MethodSpec method(Method method) {
        List<String> names = ParameterNames.of(method);
        MethodSpec.Builder built = MethodSpec.methodBuilder(method.getName())
                .addAnnotation(Override.class)
                .addModifiers(PUBLIC)
                .returns(method.getReturnType());
        Class<?>[] types = method.getParameterTypes();
        for (int i = 0; i < types.length; i++) {
            built.addParameter(types[i], names.get(i));
        }
        for (Class<?> exception : method.getExceptionTypes()) {
            built.addException(exception);
        }
        CodeBlock call = CodeBlock.of("physical.$L($L)", method.getName(), String.join(", ", names));
        return built.addCode(body(method, call)).build();
    }

    private static CodeBlock body(Method method, CodeBlock call) {
        boolean throwsIt = method.getExceptionTypes().length > 0;
        String failed = throwsIt ? "throw connection.streamFailed(e)" : "throw connection.connectionBroken(e)";
        CodeBlock.Builder code = CodeBlock.builder();
        if (method.getReturnType() == boolean.class && !throwsIt) {
            return guarded(code, CodeBlock.of("return connection.isLive() && $L", call), failed)
                    .build();
        }
        if (throwsIt && !AT_THE_END.contains(method.getName())) {
            code.addStatement("connection.checkStream()");
            return guarded(code, method.getReturnType() == void.class ? call : CodeBlock.of("return $L", call), failed)
                    .build();
        }
        code.beginControlFlow("if (connection.isLive())").addStatement("connection.markWork()");
        return guarded(code, call, failed).endControlFlow().build();
    }

    private static CodeBlock.Builder guarded(CodeBlock.Builder code, CodeBlock statement, String failed) {
        return code.beginControlFlow("try")
                .addStatement(statement)
                .nextControlFlow("catch ($T e)", Throwable.class)
                .addStatement(failed)
                .endControlFlow();
    }
}

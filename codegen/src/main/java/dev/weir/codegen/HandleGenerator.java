package dev.weir.codegen;

import static javax.lang.model.element.Modifier.FINAL;
import static javax.lang.model.element.Modifier.PRIVATE;
import static javax.lang.model.element.Modifier.PUBLIC;
import static javax.lang.model.element.Modifier.STATIC;

import com.palantir.javapoet.AnnotationSpec;
import com.palantir.javapoet.ClassName;
import com.palantir.javapoet.CodeBlock;
import com.palantir.javapoet.FieldSpec;
import com.palantir.javapoet.MethodSpec;
import com.palantir.javapoet.TypeName;
import com.palantir.javapoet.TypeSpec;
import com.palantir.javapoet.TypeVariableName;
import java.io.IOException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Type;
import java.lang.reflect.TypeVariable;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.sql.Struct;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Writes one final class for each JDBC interface: every method, default methods included, checks that the handle lives,
 * marks what it may change, delegates once, and wraps what comes back. {@link StreamHandles} does so for streams.
 *
 * <p>Methods are written in the order of their signatures, and none that is younger than the oldest JDK supported, so
 * that the output does not depend on the JDK of the build.
 */
public final class HandleGenerator {
    private static final ClassName CONNECTION_HANDLE = handles("ConnectionHandle");

    /** 16 bytes each in the interpreter: to leave a lock, with a thread to be woken, virtual or not, takes less than 6 KB. */
    private static final int LOCALS_AS_ROOM_FOR_UNLOCK = 400;

    /**
     * A close() that the compiler has inlined whole was seen to need more than 3 KB, and looks at its entry for the room of
     * the lock besides. Twice as many locals make the full cycle a seventh slower: compiled code writes to each page of them.
     */
    private static final int LOCALS_AS_ROOM_FOR_CLOSE = 1_000;

    private static final ClassName NULLABLE = ClassName.get("org.jspecify.annotations", "Nullable");
    private static final ClassName SESSION = SourceFolder.within("sessions", "Session");
    private static final ClassName HANDLES = handles("Wrapping");
    private static final ClassName XML_HANDLES = handles("XmlHandles");
    private static final ClassName JDBC_45 = handles("Jdbc45");

    private HandleGenerator() {}

    /** Writes the sources below the folder given as the only argument; files that would not change are left alone. */
    public static void main(String[] args) throws IOException {
        if (args.length != 1) {
            throw new IllegalArgumentException("expected one argument, the folder to write to; got " + args.length);
        }
        sources().write(Path.of(args[0]));
    }

    static SourceFolder sources() {
        SourceFolder sources = new SourceFolder();
        HandleSpec.ALL.forEach(spec -> sources.add(handles(spec.handle()), type(spec)));
        StreamHandles.addTo(sources);
        WrappingByType.addTo(sources);
        BindingGenerator.addTo(sources);
        return sources.add(SourceFolder.within("slots", "LeafLock"), leafLock());
    }

    private static ClassName handles(String name) {
        return SourceFolder.within("handles", name);
    }

    private static TypeSpec type(HandleSpec spec) {
        TypeSpec.Builder type = TypeSpec.classBuilder(spec.handle())
                .addModifiers(visibility(spec))
                .addJavadoc("The handle of a {@link $T}. Written by weir-codegen at build time.\n", spec.jdbc())
                .addAnnotation(AnnotationSpec.builder(SuppressWarnings.class)
                        .addMember("value", "$S", "deprecation")
                        .build())
                .superclass(handles(spec.base()))
                .addSuperinterface(spec.jdbc());
        addConstructor(spec, type);
        methods(spec).forEach(method -> type.addMethod(method(spec, method)));
        spec.younger().forEach(method -> type.addMethod(method(method)));
        return type.build();
    }

    /** The engine makes the handle of a connection; the others are known among themselves alone. */
    private static javax.lang.model.element.Modifier[] visibility(HandleSpec spec) {
        return spec.jdbc() == Connection.class
                ? new javax.lang.model.element.Modifier[] {PUBLIC, FINAL}
                : new javax.lang.model.element.Modifier[] {FINAL};
    }

    private static void addConstructor(HandleSpec spec, TypeSpec.Builder type) {
        MethodSpec.Builder constructor = MethodSpec.constructorBuilder();
        if (spec.jdbc() == Connection.class) {
            constructor
                    .addParameter(SourceFolder.within("slots", "Slot"), "slot")
                    .addStatement("super(slot)");
            addLent(type);
        } else if (spec.jdbc() == ResultSet.class) {
            constructor
                    .addParameter(CONNECTION_HANDLE, "connection")
                    .addParameter(handles("Tracked"), "owner")
                    .addParameter(spec.jdbc(), "physical")
                    .addStatement("super(connection, owner, physical)");
        } else {
            constructor
                    .addParameter(CONNECTION_HANDLE, "connection")
                    .addParameter(spec.jdbc(), "physical")
                    .addStatement("super(connection)");
        }
        if (spec.isStatement()) {
            constructor.addStatement("this.physical = physical");
            type.addMethod(constructor.build());
            addPhysicalOfStatement(spec, type);
        } else if (!spec.physicalInBase()) {
            type.addField(spec.jdbc(), "physical", PRIVATE, FINAL);
            constructor.addStatement("this.physical = physical");
            type.addMethod(constructor.build());
            type.addMethod(MethodSpec.methodBuilder("physical")
                    .addAnnotation(Override.class)
                    .returns(spec.jdbc())
                    .addStatement("return physical")
                    .build());
        } else {
            type.addMethod(constructor.build());
        }
    }

    /**
     * The method that makes the handle of an acquire. A user with too little stack left to call close() would keep the
     * connection for ever; so he does not get one. The locals, which nothing reads, make the frame of the interpreter so large that close() fits into
     * it; compiled code, which has to be able to go back to that frame, looks once for as much stack at its entry.
     */
    private static void addLent(TypeSpec.Builder type) {
        type.addMethod(MethodSpec.methodBuilder("lent")
                .addJavadoc(
                        "A handle, for a caller with stack enough to close it: hence the locals, see the generator.\n")
                .addModifiers(PUBLIC, STATIC)
                .returns(CONNECTION_HANDLE)
                .addParameter(SourceFolder.within("slots", "Slot"), "slot")
                .addStatement("long $L", room(LOCALS_AS_ROOM_FOR_CLOSE))
                .addStatement("return new ConnectionHandle(slot)")
                .build());
    }

    /** The lock that is not taken by a thread with too little stack left to give it back, by the same means. */
    private static TypeSpec leafLock() {
        return TypeSpec.classBuilder("LeafLock")
                .addModifiers(FINAL)
                .addJavadoc("""
                        A lock that an overflow of the stack cannot leave to a dead thread: a caller with too little stack left to take and leave it, \
                        contended or not, gets the StackOverflowError before it is taken. To be left in the frame that took it. Written \
                        by weir-codegen at build time, for the sake of the locals, see there.
                        """)
                .addField(FieldSpec.builder(ReentrantLock.class, "lock", PRIVATE, FINAL)
                        .initializer("new $T()", ReentrantLock.class)
                        .build())
                .addField(boolean.class, "held", PRIVATE)
                .addMethod(MethodSpec.methodBuilder("lock")
                        .addStatement("room()")
                        .addStatement("lock.lock()")
                        .build())
                // It has returned before the lock is taken: an overflow within lock.lock() may leave it taken. The call
                // and
                // the field keep the locals in compiled code.
                .addMethod(MethodSpec.methodBuilder("room")
                        .addJavadoc(
                                "Throws the StackOverflowError here, if there is too little stack for what comes next.\n")
                        .addStatement("long $L", room(LOCALS_AS_ROOM_FOR_UNLOCK))
                        .addStatement("held = lock.isHeldByCurrentThread()")
                        .build())
                .addMethod(MethodSpec.methodBuilder("unlock")
                        .addStatement("lock.unlock()")
                        .build())
                .build();
    }

    private static String room(int locals) {
        return IntStream.range(0, locals).mapToObj(i -> "room" + i).collect(Collectors.joining(", "));
    }

    /** The driver's object until the statement ends: in a field of its own type, so that no call has to cast it. */
    private static void addPhysicalOfStatement(HandleSpec spec, TypeSpec.Builder type) {
        TypeName orNull = TypeName.get(spec.jdbc())
                .annotated(AnnotationSpec.builder(NULLABLE).build());
        type.addField(orNull, "physical", PRIVATE);
        type.addMethod(MethodSpec.methodBuilder("physicalOrNull")
                .addAnnotation(Override.class)
                .returns(orNull)
                .addStatement("return physical")
                .build());
        type.addMethod(MethodSpec.methodBuilder("forgetPhysical")
                .addAnnotation(Override.class)
                .addStatement("physical = null")
                .build());
    }

    /** The methods to write, in an order that no JDK changes; of two with one signature the more special return wins. */
    static List<Method> methods(HandleSpec spec) {
        Map<String, Method> bySignature = new TreeMap<>();
        for (Method method : spec.jdbc().getMethods()) {
            if (!Modifier.isStatic(method.getModifiers()) && spec.generates(method)) {
                String signature = method.getName() + Arrays.toString(method.getParameterTypes());
                bySignature.merge(signature, method, HandleGenerator::moreSpecial);
            }
        }
        List<Method> methods = new ArrayList<>(bySignature.values());
        methods.sort(Comparator.comparing(Method::getName)
                .thenComparing(Method::getParameterCount)
                .thenComparing(Method::toGenericString));
        return methods;
    }

    private static Method moreSpecial(Method a, Method b) {
        boolean bothReturns = a.getReturnType() == b.getReturnType();
        Method narrower = a.getReturnType().isAssignableFrom(b.getReturnType()) ? b : a;
        if (!bothReturns) {
            return narrower;
        }
        return a.getDeclaringClass().isAssignableFrom(b.getDeclaringClass()) ? b : a;
    }

    private static MethodSpec method(HandleSpec spec, Method method) {
        return signature(method)
                .addCode(body(spec, method, ParameterNames.of(method)))
                .build();
    }

    /** A method that overrides this one, without its body. */
    static MethodSpec.Builder signature(Method method) {
        List<String> names = ParameterNames.of(method);
        MethodSpec.Builder built = MethodSpec.methodBuilder(method.getName())
                .addAnnotation(Override.class)
                .addModifiers(PUBLIC)
                .returns(TypeName.get(method.getGenericReturnType()));
        for (TypeVariable<Method> variable : method.getTypeParameters()) {
            built.addTypeVariable(TypeVariableName.get(variable.getName(), variable.getBounds()));
        }
        Type[] types = method.getGenericParameterTypes();
        for (int i = 0; i < types.length; i++) {
            built.addParameter(TypeName.get(types[i]), names.get(i));
        }
        for (Class<?> exception : method.getExceptionTypes()) {
            built.addException(exception);
        }
        return built;
    }

    /** A method that the JDK of the build may not know, so that nothing here names it as the interface's. */
    private static MethodSpec method(HandleSpec.Younger method) {
        MethodSpec.Builder built = MethodSpec.methodBuilder(method.name())
                .addJavadoc("Overrides what the interface has from JDBC 4.5 on.\n")
                .addModifiers(PUBLIC)
                .addException(SQLException.class)
                .returns(method.returned());
        List<String> arguments = new ArrayList<>(List.of("physical"));
        for (int i = 0; i < method.parameters().size(); i++) {
            built.addParameter(method.parameters().get(i), method.names().get(i));
            arguments.add(method.names().get(i));
        }
        return built.addStatement("checkWorks()")
                .beginControlFlow("try")
                .addStatement("return $T.$L($L)", JDBC_45, method.name(), String.join(", ", arguments))
                .nextControlFlow("catch ($T e)", Throwable.class)
                .addStatement("throw callFailed(e)")
                .endControlFlow()
                .build();
    }

    private static CodeBlock body(HandleSpec spec, Method method, List<String> names) {
        CodeBlock.Builder code = CodeBlock.builder();
        if (method.getExceptionTypes().length == 0) {
            return code.beginControlFlow("try")
                    .addStatement("return physical.$L()", method.getName())
                    .nextControlFlow("catch ($T e)", Throwable.class)
                    .addStatement("throw connectionBroken(e)")
                    .endControlFlow()
                    .build();
        }
        String property = HandleSpec.property(method);
        if (property.isEmpty()) {
            if (spec.losesPhysical()) {
                addLookAtPhysical(spec, code);
            }
            spec.prologue(method).forEach(statement -> code.addStatement("$L", statement));
        } else {
            code.addStatement("checkChanges($T.$L)", SESSION, property);
        }
        if (method.getReturnType() == Connection.class) {
            return code.addStatement("return connection.shown()").build();
        }
        List<String> arguments = new ArrayList<>();
        Class<?>[] types = method.getParameterTypes();
        for (int i = 0; i < types.length; i++) {
            arguments.add(argument(code, types[i], names.get(i)));
        }
        CodeBlock call = CodeBlock.of("physical.$L($L)", method.getName(), String.join(", ", arguments));
        code.beginControlFlow("try");
        if (method.getReturnType() == void.class) {
            code.addStatement(call);
            if (method.getName().equals("free")) {
                code.addStatement("markFreed()");
            }
        } else {
            code.addStatement("return $L", wrapped(spec, method, call, names));
        }
        code.nextControlFlow("catch ($T e)", Throwable.class);
        if (property.isEmpty()) {
            code.addStatement("throw callFailed(e)");
        } else {
            code.addStatement("throw notChanged($T.$L, e)", SESSION, property);
        }
        if (spec.isAnswered(method)) {
            code.nextControlFlow("finally").addStatement(spec.lastly());
        }
        code.endControlFlow();
        HandleSpec.epilogue(method).forEach(statement -> code.addStatement("$L", statement));
        return code.build();
    }

    /**
     * Read once for each call, so that it fails as a whole or not at all; in each method, since a call would cost the
     * interpreter more than the rest.
     */
    private static void addLookAtPhysical(HandleSpec spec, CodeBlock.Builder code) {
        code.addStatement("$T physical = this.physical", spec.jdbc())
                .beginControlFlow("if (physical == null)")
                .addStatement("throw closedException()")
                .endControlFlow();
    }

    /** The argument to pass to the driver for this parameter: its own object where ours was given. */
    private static String argument(CodeBlock.Builder code, Class<?> type, String name) {
        if (!WrappingByType.unwraps(type)) {
            return name;
        }
        String physical = "physical" + Character.toUpperCase(name.charAt(0)) + name.substring(1);
        code.addStatement("$T $N = $T.physical($N)", type, physical, HANDLES, name);
        return physical;
    }

    private static CodeBlock wrapped(HandleSpec spec, Method method, CodeBlock call, List<String> names) {
        Class<?> type = method.getReturnType();
        String connection = spec.jdbc() == Connection.class ? "this" : "connection";
        if (Statement.class.isAssignableFrom(type)) {
            return CodeBlock.of("tracked(new $T(this, $L))", handles(type.getSimpleName() + "Handle"), call);
        }
        if (type == ResultSet.class) {
            return spec.isStatement()
                    ? CodeBlock.of("result($L)", call)
                    : CodeBlock.of("$T.orphan($L, $L)", HANDLES, connection, call);
        }
        if (type == Savepoint.class) {
            return CodeBlock.of("trackedSavepoint($L)", call);
        }
        if (WrappingByType.wraps(type)) {
            boolean frees = method.getName().startsWith("create") && type != Struct.class;
            return CodeBlock.of("$T.$L($L, $L)", HANDLES, frees ? "wrapCreated" : "wrap", connection, call);
        }
        boolean typed = method.getTypeParameters().length == 1
                && TypeName.get(method.getGenericReturnType()) instanceof TypeVariableName;
        if (typed) {
            Object wrap =
                    type == Object.class ? CodeBlock.of("$T.wrapAs", HANDLES) : CodeBlock.of("$T.wrap", XML_HANDLES);
            return CodeBlock.of("$L($L, $L, $L)", wrap, connection, names.get(names.size() - 1), call);
        }
        if (type == Object[].class) {
            return CodeBlock.of("$T.wrapElements($L, $L)", HANDLES, connection, call);
        }
        return type == Object.class ? CodeBlock.of("$T.wrapValue($L, $L)", HANDLES, connection, call) : call;
    }
}

package dev.weir.codegen;

import java.io.IOException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Type;
import java.lang.reflect.TypeVariable;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLClientInfoException;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.StringJoiner;

/**
 * Writes one abstract class for each JDBC interface that a stub driver implements. Every method of it says that it is not
 * supported, so that the stub itself is only the handful of methods that its users call.
 *
 * <p>Arguments: the folder for the sources, and the package of the classes.
 */
public final class StubSources {
    private static final List<Class<?>> INTERFACES =
            List.of(Connection.class, DatabaseMetaData.class, PreparedStatement.class, ResultSet.class);

    private StubSources() {}

    public static void main(String[] args) throws IOException {
        Path folder = Path.of(args[0]).resolve(args[1].replace('.', '/'));
        Files.createDirectories(folder);
        for (Class<?> type : INTERFACES) {
            Files.writeString(folder.resolve(nameOf(type) + ".java"), sourceOf(type, args[1]));
        }
    }

    private static String nameOf(Class<?> type) {
        return "Unsupported" + type.getSimpleName();
    }

    static String sourceOf(Class<?> type, String packageName) {
        StringBuilder out = new StringBuilder();
        out.append("package ").append(packageName).append(";\n\n");
        out.append("/** Refuses every method of ")
                .append(type.getSimpleName())
                .append(" that its JDBC driver must write. */\n");
        out.append("@org.jspecify.annotations.NullUnmarked\n");
        out.append("@SuppressWarnings({\"deprecation\", \"removal\"})\n");
        out.append("abstract class ")
                .append(nameOf(type))
                .append(" implements ")
                .append(type.getName())
                .append(" {\n");
        Arrays.stream(type.getMethods())
                .filter(method -> Modifier.isAbstract(method.getModifiers()))
                .sorted(Comparator.comparing(Method::getName).thenComparing(Method::toGenericString))
                .forEach(method -> out.append(sourceOf(method)));
        return out.append("}\n").toString();
    }

    private static String sourceOf(Method method) {
        StringJoiner parameters = new StringJoiner(", ");
        Type[] types = method.getGenericParameterTypes();
        for (int i = 0; i < types.length; i++) {
            parameters.add(types[i].getTypeName() + " a" + i);
        }
        StringJoiner variables = new StringJoiner(", ", "<", "> ").setEmptyValue("");
        for (TypeVariable<Method> variable : method.getTypeParameters()) {
            variables.add(variable.getName());
        }
        StringJoiner thrown = new StringJoiner(", ", " throws ", "").setEmptyValue("");
        for (Type exception : method.getGenericExceptionTypes()) {
            thrown.add(exception.getTypeName());
        }
        return "\n    @Override\n    public " + variables
                + method.getGenericReturnType().getTypeName() + " "
                + method.getName() + "(" + parameters + ")" + thrown + " {\n        throw new " + refusalOf(method)
                + ";\n    }\n";
    }

    private static String refusalOf(Method method) {
        List<Class<?>> thrown = List.of(method.getExceptionTypes());
        if (thrown.isEmpty()) {
            return "UnsupportedOperationException(\"" + method.getName() + "\")";
        }
        return thrown.contains(SQLClientInfoException.class)
                ? "java.sql.SQLClientInfoException()"
                : "java.sql.SQLFeatureNotSupportedException(\"" + method.getName() + "\")";
    }
}

package dev.weir.codegen;

import java.lang.reflect.Method;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** Names for parameters, made from method and type: the class files of java.sql do not keep theirs. */
final class ParameterNames {
    private ParameterNames() {}

    static List<String> of(Method method) {
        List<String> names = new ArrayList<>();
        Set<String> taken = new HashSet<>();
        Class<?>[] types = method.getParameterTypes();
        for (int i = 0; i < types.length; i++) {
            String name = i == 0 ? first(method, types[0]) : later(types[i]);
            String unique = name;
            for (int n = 2; !taken.add(unique); n++) {
                unique = name + n;
            }
            names.add(unique);
        }
        return names;
    }

    private static String first(Method method, Class<?> type) {
        String name = method.getName();
        Class<?> owner = method.getDeclaringClass();
        boolean sql = name.startsWith("prepare")
                || name.startsWith("execute")
                || name.equals("addBatch")
                || name.equals("nativeSQL");
        if (type == String.class && sql) {
            return "sql";
        }
        boolean accessor = name.startsWith("get") || name.startsWith("set") || name.startsWith("register");
        if (owner == ResultSet.class && (accessor || name.startsWith("update")) && isKey(type)) {
            return "column";
        }
        if (Statement.class.isAssignableFrom(owner) && accessor && isKey(type) && method.getParameterCount() > 1) {
            return "parameter";
        }
        if (name.startsWith("set") && method.getParameterCount() == 1 && owner == Connection.class && isKey(type)) {
            return decapitalize(name.substring(3));
        }
        return later(type);
    }

    private static boolean isKey(Class<?> type) {
        return type == int.class || type == String.class || type == boolean.class;
    }

    private static String later(Class<?> type) {
        if (type.isArray()) {
            String component = later(type.getComponentType());
            return component.equals("number") ? "numbers" : component + "s";
        }
        if (type == int.class || type == long.class) {
            return "number";
        }
        if (type == String.class) {
            return "text";
        }
        if (type.isPrimitive() || type == Object.class) {
            return "value";
        }
        if (type == Class.class) {
            return "type";
        }
        return decapitalize(type.getSimpleName());
    }

    private static String decapitalize(String name) {
        boolean acronym = name.length() > 1 && Character.isUpperCase(name.charAt(1));
        return acronym
                ? name.toLowerCase(Locale.ROOT)
                : name.substring(0, 1).toLowerCase(Locale.ROOT) + name.substring(1);
    }
}

package dev.weir.testkit;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.Reader;
import java.io.Writer;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.sql.Array;
import java.sql.Blob;
import java.sql.Clob;
import java.sql.Connection;
import java.sql.NClob;
import java.sql.PreparedStatement;
import java.sql.Ref;
import java.sql.ResultSet;
import java.sql.RowId;
import java.sql.SQLException;
import java.sql.SQLXML;
import java.sql.Savepoint;
import java.sql.Statement;
import java.sql.Struct;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import javax.xml.stream.XMLStreamException;
import javax.xml.transform.Result;
import javax.xml.transform.Source;
import javax.xml.transform.dom.DOMResult;
import javax.xml.transform.dom.DOMSource;
import javax.xml.transform.sax.SAXResult;
import javax.xml.transform.sax.SAXSource;
import javax.xml.transform.stax.StAXResult;
import javax.xml.transform.stax.StAXSource;
import javax.xml.transform.stream.StreamResult;
import javax.xml.transform.stream.StreamSource;
import org.jspecify.annotations.Nullable;
import org.xml.sax.InputSource;
import org.xml.sax.SAXException;

/**
 * Everything that can be reached from a connection of a {@link StubDatabase}: calls every method of the JDBC and XML interfaces, and of
 * streams, that returns something that could hold the session, and goes on with what comes back.
 */
final class HandleCrawl {
    /** One row for each kind of object. */
    static final String OBJECTS = "SELECT weir_objects";

    /** The objects that a pool hands out as the driver made them, and why. */
    static final Map<Class<?>, String> LEFT_AS_IT_IS = Map.of(
            RowId.class, "a value, bytes; the driver takes back its own class alone",
            Savepoint.class, "a number or a name; the driver takes back its own class alone",
            org.w3c.dom.Node.class, "in memory; a document takes nodes of its own class alone");

    /** All types that typed getters are asked for; those that the called method may answer are used. */
    private static final List<Class<?>> ASKED_FOR = List.of(
            Array.class,
            Blob.class,
            Clob.class,
            NClob.class,
            SQLXML.class,
            Struct.class,
            Ref.class,
            ResultSet.class,
            InputStream.class,
            Reader.class,
            Object.class,
            Source.class,
            StreamSource.class,
            SAXSource.class,
            StAXSource.class,
            DOMSource.class,
            StreamResult.class,
            SAXResult.class,
            StAXResult.class,
            DOMResult.class);

    private static final int DEPTH = 7;

    /** An object reached, and how. */
    record Reached(Object object, String path) {}

    private final List<Reached> reached = new ArrayList<>();
    private final Set<String> escaped = new LinkedHashSet<>();
    private final Set<String> ways = new HashSet<>();

    private HandleCrawl() {}

    static HandleCrawl of(Connection connection) {
        HandleCrawl crawl = new HandleCrawl();
        crawl.visit(connection, "Connection", 0);
        return crawl;
    }

    /** All handles that were reached. */
    List<Reached> reached() {
        return reached;
    }

    /** The ways on which an object of the driver was reached. */
    Set<String> escaped() {
        return escaped;
    }

    private void visit(Object object, String path, int depth) {
        reached.add(new Reached(object, path));
        if (depth == DEPTH) {
            return;
        }
        makeReady(object);
        do {
            for (Method method : methodsOf(object)) {
                follow(object, method, path, depth);
            }
        } while (object instanceof ResultSet rows && hasNext(rows));
    }

    private void follow(Object object, Method method, String path, int depth) {
        if (!couldHoldTheSession(method.getReturnType()) || method.getName().equals("unwrap")) {
            return;
        }
        for (@Nullable Object[] arguments : argumentsOf(method)) {
            Object result = call(method, object, arguments);
            look(result, path + "." + method.getName(), wayOf(object, method, arguments), depth);
        }
    }

    private static String wayOf(Object from, Method method, @Nullable Object[] arguments) {
        Object last = arguments.length == 0 ? null : arguments[arguments.length - 1];
        String asked = last instanceof Class<?> type ? type.getName() : "";
        return from.getClass().getName() + method + asked;
    }

    private void look(@Nullable Object result, String path, String way, int depth) {
        if (result == null || LEFT_AS_IT_IS.keySet().stream().anyMatch(type -> type.isInstance(result))) {
            return;
        }
        if (StubDatabase.isPhysical(result)) {
            escaped.add(path);
        } else if (result instanceof Object[] elements) {
            for (Object element : elements) {
                look(element, path + "[]", way + "[]", depth);
            }
        } else if (couldHoldTheSession(result)
                && ways.add(way + result.getClass().getName())) {
            visit(result, path, depth + 1);
        }
    }

    private static boolean hasNext(ResultSet rows) {
        try {
            return rows.next();
        } catch (SQLException e) {
            return false;
        }
    }

    private static void makeReady(Object object) {
        Scene.closeQuietly(() -> {
            if (object instanceof ResultSet rows) {
                rows.next();
            } else if (object instanceof PreparedStatement statement) {
                statement.execute();
            } else if (object instanceof Statement statement) {
                statement.execute(OBJECTS);
            }
        });
    }

    // The methods and types.

    private static boolean couldHoldTheSession(Object object) {
        return interfacesOf(object.getClass()).stream().anyMatch(HandleCrawl::isOfAnApi)
                || isStreamOrHolder(object.getClass());
    }

    /** Whether a value of this declared type may be an object that leads back. */
    private static boolean couldHoldTheSession(Class<?> type) {
        return type == Object.class
                || type == Object[].class
                || (type.isInterface() && isOfAnApi(type))
                || isStreamOrHolder(type);
    }

    private static boolean isOfAnApi(Class<?> type) {
        String of = type.getPackageName();
        return of.equals("java.sql") || of.startsWith("javax.xml") || of.startsWith("org.xml.sax");
    }

    private static boolean isStreamOrHolder(Class<?> type) {
        return InputStream.class.isAssignableFrom(type)
                || OutputStream.class.isAssignableFrom(type)
                || Reader.class.isAssignableFrom(type)
                || Writer.class.isAssignableFrom(type)
                || Source.class.isAssignableFrom(type)
                || Result.class.isAssignableFrom(type)
                || type == InputSource.class;
    }

    /** The methods of the interfaces, and those of the public class where there is none. */
    static List<Method> methodsOf(Object object) {
        Set<Class<?>> types = new LinkedHashSet<>();
        for (Class<?> type = object.getClass(); type != Object.class; type = type.getSuperclass()) {
            if (type.getModule().isNamed() && Modifier.isPublic(type.getModifiers()) && isStreamOrHolder(type)) {
                types.add(type);
            }
        }
        interfacesOf(object.getClass()).stream().filter(HandleCrawl::isOfAnApi).forEach(types::add);
        List<Method> methods = new ArrayList<>();
        for (Class<?> type : types) {
            methods.addAll(Arrays.asList(type.getMethods()));
        }
        methods.removeIf(
                method -> Modifier.isStatic(method.getModifiers()) || method.getDeclaringClass() == Object.class);
        methods.sort(Comparator.comparing(Method::toString));
        return methods.stream().distinct().toList();
    }

    private static Set<Class<?>> interfacesOf(Class<?> type) {
        Set<Class<?>> all = new LinkedHashSet<>();
        for (Class<?> at = type; at != null; at = at.getSuperclass()) {
            for (Class<?> each : at.getInterfaces()) {
                all.add(each);
                all.addAll(interfacesOf(each));
            }
        }
        return all;
    }

    // Calls.

    /** Each choice of arguments; more than one where the caller says of which class the answer is to be. */
    private static List<@Nullable Object[]> argumentsOf(Method method) {
        Class<?>[] types = method.getParameterTypes();
        int last = types.length - 1;
        if (last < 0 || types[last] != Class.class) {
            @Nullable Object[] usual = DeadHandleChecks.arguments(method);
            for (int i = 0; i <= last; i++) {
                usual[i] = types[i] == String.class ? OBJECTS : usual[i];
            }
            return List.<@Nullable Object[]>of(usual);
        }
        List<@Nullable Object[]> choices = new ArrayList<>();
        for (Class<?> asked : ASKED_FOR) {
            if (method.getReturnType().isAssignableFrom(asked)) {
                @Nullable Object[] arguments = DeadHandleChecks.arguments(method);
                arguments[last] = asked;
                choices.add(arguments);
            }
        }
        return choices;
    }

    private static @Nullable Object call(Method method, Object target, @Nullable Object[] arguments) {
        try {
            return method.invoke(target, arguments);
        } catch (InvocationTargetException e) {
            return null; // refused, which leads nowhere
        } catch (IllegalAccessException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Whether a dead object has to refuse this call: the method declares an exception for that. */
    static boolean mustThrow(Object object, Method method) {
        boolean stream = object instanceof Closeable;
        boolean endsStream = stream && Set.of("close", "flush", "mark").contains(method.getName());
        return !endsStream && Arrays.stream(method.getExceptionTypes()).anyMatch(HandleCrawl::isChecked);
    }

    static boolean isChecked(Class<?> thrown) {
        return SQLException.class.isAssignableFrom(thrown)
                || IOException.class.isAssignableFrom(thrown)
                || thrown == XMLStreamException.class
                || thrown == SAXException.class;
    }
}

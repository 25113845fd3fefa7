package dev.weir.internal.shared;

import java.lang.StackWalker.StackFrame;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.stream.Stream;

/** The frames of a stack that are the user's own, and their names in messages. */
final class UserFrames {
    /** So many frames tell a place from others: many applications acquire by one helper. */
    static final int OF_A_PLACE = 3;

    /** A deeper frame is not looked at. */
    private static final int DEEPEST = 100;

    private static final StackWalker WALKER = StackWalker.getInstance();

    // The code between the user's and the wait. A class loader is not asked: the names are all that is kept.
    private static final String[] PLATFORM = {"java.", "javax.", "jdk.", "sun.", "com.sun.", "dev.weir."};

    private static final String[] FRAMEWORKS = {
        "org.postgresql.",
        "org.mariadb.jdbc.",
        "com.mysql.cj.",
        "oracle.jdbc.",
        "oracle.net.",
        "com.microsoft.sqlserver.",
        "org.h2.",
        "org.hsqldb.",
        "jakarta.",
        "org.springframework.",
        "org.hibernate.",
        "org.jdbi.",
        "org.jooq.",
        "org.mybatis.",
        "org.apache.ibatis.",
        "org.apache.catalina.",
        "org.apache.tomcat.",
        "org.apache.coyote.",
        "org.eclipse.jetty.",
        "org.glassfish.",
        "org.junit.",
        "org.flywaydb.",
        "liquibase.",
        "io.dropwizard.",
        "io.micronaut.",
        "io.netty.",
        "io.opentelemetry.",
        "io.undertow.",
        "org.eclipse.persistence.",
        "org.apache.shardingsphere.",
        "org.jetbrains.exposed.",
        "com.baomidou.",
        "com.github.gavlyukovskiy.",
        "com.p6spy.",
        "com.querydsl.",
        "io.ebean",
        "net.bull.javamelody.",
        "net.ttddyy.",
        "kotlin.",
        "kotlinx.",
        "scala."
    };

    /** Applications, though their packages begin as the framework's do. */
    private static final String SAMPLES = "org.springframework.samples.";

    private UserFrames() {}

    /**
     * The first frames of the user's code, at most so many; where there is none, the first of a framework; empty if the pool and
     * the JDK are all there is.
     */
    static List<StackTraceElement> here(int most) {
        return WALKER.walk(stack -> firstOf(stack, most));
    }

    private static List<StackTraceElement> firstOf(Stream<StackFrame> stack, int most) {
        List<StackTraceElement> first = new ArrayList<>(most);
        StackFrame framework = null;
        Iterator<StackFrame> frames = stack.iterator();
        for (int i = 0; i < DEEPEST && first.size() < most && frames.hasNext(); i++) {
            StackFrame frame = frames.next();
            String type = ownName(frame.getClassName());
            if (isUsers(type)) {
                first.add(frame.toStackTraceElement());
            } else if (framework == null && isFramework(type)) {
                framework = frame;
            }
        }
        return first.isEmpty() && framework != null ? List.of(framework.toStackTraceElement()) : List.copyOf(first);
    }

    /** As {@link #here}, of a whole stack. */
    static List<StackTraceElement> usersOf(StackTraceElement[] stack) {
        return Arrays.stream(stack)
                .filter(frame -> isUsers(ownName(frame.getClassName())))
                .limit(OF_A_PLACE)
                .toList();
    }

    /** A stack without the user's innermost frames, so many, and what these called. */
    static StackTraceElement[] below(StackTraceElement[] stack, int users) {
        int at = 0;
        for (int left = users; left > 0; at++) {
            left -= isUsers(ownName(stack[at].getClassName())) ? 1 : 0;
        }
        return Arrays.copyOfRange(stack, at, stack.length);
    }

    /** A proxy that extends a class of the user is named by it: of a transaction that it begins no other frame tells. */
    private static String ownName(String type) {
        int generated = type.indexOf("$$");
        return generated < 0 || type.contains("FastClass") ? type : type.substring(0, generated);
    }

    /** These frames in words, as {@code Orders.query from OrderView.render}; each method once. */
    static String nameOf(List<StackTraceElement> frames) {
        StringBuilder name = new StringBuilder();
        String before = "";
        for (StackTraceElement frame : frames) {
            String one = nameOf(ownName(frame.getClassName()), frame.getMethodName());
            if (!one.equals(before)) {
                name.append(name.isEmpty() ? "" : " from ").append(one);
                before = one;
            }
        }
        return name.toString();
    }

    static String nameOf(String type, String method) {
        return type.substring(type.lastIndexOf('.') + 1) + "." + method;
    }

    /** Whether a frame of this class is the user's own. */
    static boolean isUsers(String type) {
        return !isGenerated(type) && !startsWithAny(PLATFORM, type) && !isOfFrameworks(type);
    }

    /** Whether a frame of this class is of a framework, on whose own account it may call. */
    static boolean isFramework(String type) {
        return !isGenerated(type) && isOfFrameworks(type);
    }

    private static boolean isOfFrameworks(String type) {
        return startsWithAny(FRAMEWORKS, type) && !type.startsWith(SAMPLES);
    }

    private static boolean isGenerated(String type) {
        return type.contains("$$") || type.contains("$Proxy");
    }

    private static boolean startsWithAny(String[] packages, String type) {
        for (String one : packages) {
            if (type.startsWith(one)) {
                return true;
            }
        }
        return false;
    }
}

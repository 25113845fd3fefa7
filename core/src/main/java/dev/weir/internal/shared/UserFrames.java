package dev.weir.internal.shared;

import java.lang.StackWalker.StackFrame;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.NavigableSet;
import java.util.TreeSet;
import java.util.stream.Stream;

/** The frames of a stack that are the user's own, and their names: in messages, in JMX, and on the pages of {@code weir explain}. */
public final class UserFrames {
    /** So many frames tell a place from others: many applications acquire by one helper. */
    static final int OF_A_PLACE = 3;

    /** A deeper frame is not looked at. */
    private static final int DEEPEST = 100;

    private static final String LAMBDA = "lambda$";

    private static final StackWalker WALKER = StackWalker.getInstance();

    // The code between the user's and the wait. A class loader is not asked: the names are all that is kept. None
    // begins another.
    private static final NavigableSet<String> PLATFORM = names("java. javax. jdk. sun. com.sun. dev.weir.");

    private static final NavigableSet<String> FRAMEWORKS = names("""
            akka. cats.effect. clojure. com.arjuna. com.baomidou. com.github.gavlyukovskiy. com.google.inject. com.ibm.db2.
            com.microsoft.sqlserver. com.mysql.cj. com.p6spy. com.querydsl. doobie. grails. groovy. io.agroal. io.dropwizard.
            io.ebean. io.ebeaninternal. io.github.resilience4j. io.helidon. io.javalin. io.ktor. io.micrometer. io.micronaut.
            io.netty. io.opentelemetry. io.quarkus. io.reactivex. io.smallrye. io.undertow. io.vertx. jakarta. kotlin.
            kotlinx. liquibase. net.bull.javamelody. net.bytebuddy. net.ttddyy. next.jdbc. oracle.jdbc. oracle.net.
            org.aopalliance. org.apache.camel. org.apache.catalina. org.apache.commons. org.apache.coyote. org.apache.cxf.
            org.apache.derby. org.apache.groovy. org.apache.ibatis. org.apache.openjpa. org.apache.pekko.
            org.apache.shardingsphere. org.apache.tomcat. org.aspectj. org.codehaus.groovy. org.eclipse.jetty.
            org.eclipse.persistence. org.flywaydb. org.glassfish. org.grails. org.h2. org.hibernate. org.hsqldb. org.http4s.
            org.jboss. org.jdbi. org.jetbrains.exposed. org.jooq. org.junit. org.ktorm. org.mariadb.jdbc. org.mybatis.
            org.postgresql. org.quartz. org.springframework. org.sqlite. org.wildfly. play. reactor. scala. scalikejdbc.
            slick. software.amazon.jdbc. zio.
            """);

    /** Applications, though their packages begin as the framework's do. */
    private static final String SAMPLES = "org.springframework.samples.";

    private UserFrames() {}

    private static NavigableSet<String> names(String text) {
        return new TreeSet<>(List.of(text.strip().split("\\s+")));
    }

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
                .filter(UserFrames::isUsers)
                .limit(OF_A_PLACE)
                .toList();
    }

    /** A stack without the user's innermost frames, so many, and what these called. */
    static StackTraceElement[] below(StackTraceElement[] stack, int users) {
        int at = 0;
        for (int left = users; left > 0; at++) {
            left -= isUsers(stack[at]) ? 1 : 0;
        }
        return Arrays.copyOfRange(stack, at, stack.length);
    }

    /** These frames in words, as {@code Orders.query from OrderView.render}; each method once. */
    static String nameOf(List<StackTraceElement> frames) {
        StringBuilder name = new StringBuilder();
        String before = "";
        for (StackTraceElement frame : frames) {
            String one = nameOf(frame);
            if (!one.equals(before)) {
                name.append(name.isEmpty() ? "" : " from ").append(one);
                before = one;
            }
        }
        return name.toString();
    }

    /** As {@code OrderView.render}; a lambda is named by the method that it stands in. */
    public static String nameOf(StackTraceElement frame) {
        String type = ownName(frame.getClassName());
        String method = frame.getMethodName();
        int end = method.startsWith(LAMBDA) ? method.indexOf('$', LAMBDA.length()) : -1;
        return type.substring(type.lastIndexOf('.') + 1, type.length() - (type.endsWith("$") ? 1 : 0))
                        .replace('$', '.')
                + "."
                + (end < 0 ? method : method.substring(LAMBDA.length(), end));
    }

    /** A proxy that extends a class of the user is named by it: of a transaction that it begins no other frame tells. */
    private static String ownName(String type) {
        int generated = type.indexOf("$$");
        return generated < 0 || type.contains("FastClass") || type.contains("$$Lambda")
                ? type
                : type.substring(0, generated);
    }

    /** Whether it is a frame of the user's own. */
    public static boolean isUsers(StackTraceElement frame) {
        return isUsers(ownName(frame.getClassName()));
    }

    private static boolean isUsers(String type) {
        return !isGenerated(type) && !startsWithAny(PLATFORM, type) && !isOfFrameworks(type);
    }

    /** Whether it is a frame of a framework, on whose own account it may call. */
    public static boolean isFramework(StackTraceElement frame) {
        return isFramework(ownName(frame.getClassName()));
    }

    private static boolean isFramework(String type) {
        return !isGenerated(type) && isOfFrameworks(type);
    }

    private static boolean isOfFrameworks(String type) {
        return startsWithAny(FRAMEWORKS, type) && !type.startsWith(SAMPLES);
    }

    private static boolean isGenerated(String type) {
        return type.contains("$$") || type.contains("$Proxy") || type.contains("$ByteBuddy$") || type.contains("/0x");
    }

    private static boolean startsWithAny(NavigableSet<String> packages, String type) {
        String before = packages.floor(type);
        return before != null && type.startsWith(before);
    }
}

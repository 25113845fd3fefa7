package dev.weir.internal.shared;

import java.lang.StackWalker.StackFrame;
import java.util.ArrayList;
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
    private static final NavigableSet<String> PLATFORM = names("java. javax. jdk. sun. com.sun.");

    /** Alone, so that a tool that moves the pool to another package finds it. */
    private static final String OURS = "dev.weir.";

    private static final NavigableSet<String> FRAMEWORKS = names("""
            akka. cats.effect. clojure. com.arjuna. com.baomidou. com.github.gavlyukovskiy. com.google.inject. com.ibm.db2.
            com.microsoft.sqlserver. com.mysql.cj. com.p6spy. com.querydsl. doobie. grails. groovy. io.agroal. io.dropwizard.
            io.ebean. io.ebeaninternal. io.github.resilience4j. io.helidon. io.javalin. io.ktor. io.micrometer. io.micronaut.
            io.netty. io.opentelemetry. io.quarkus. io.reactivex. io.smallrye. io.undertow. io.vertx. jakarta. kotlin.
            kotlinx. liquibase. net.bull.javamelody. net.bytebuddy. net.ttddyy. next.jdbc. oracle.jdbc. oracle.net.
            org.aopalliance. org.apache.camel. org.apache.catalina. org.apache.cayenne. org.apache.commons. org.apache.coyote.
            org.apache.cxf. org.apache.derby. org.apache.dubbo. org.apache.groovy. org.apache.ibatis. org.apache.kafka.
            org.apache.openjpa. org.apache.pekko. org.apache.seata. org.apache.shardingsphere. org.apache.struts2.
            org.apache.tapestry5. org.apache.tomcat. org.apache.wicket. org.aspectj. org.codehaus.groovy. org.eclipse.jetty.
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

    /** The frames of the user's code in this stack, the innermost first. */
    public static List<StackTraceElement> usersOf(List<StackTraceElement> stack) {
        return stack.stream().filter(UserFrames::isUsers).toList();
    }

    /**
     * Whether a thread that acquires anew has left the call that acquired before: the innermost methods that both calls share tell
     * nothing, as many acquire by one helper, and neither does a caller at the same line, as a server's thread makes the same
     * call once more. So of two acquires on one line, by different methods, the first is taken for left.
     *
     * @param before the user's frames of the acquire of before, three at least if there were so many
     * @param now the user's frames of this one, all
     */
    public static boolean hasLeft(List<StackTraceElement> before, List<StackTraceElement> now) {
        int shared = shared(before, now);
        List<StackTraceElement> callers = now.subList(shared, now.size());
        return !isIn(callers, before.get(0))
                && before.stream().limit(shared + 2).noneMatch(frame -> isAtOtherLine(callers, frame));
    }

    /**
     * Whether it may have left it: the innermost method of that call that this one does not share is gone. It gave the connection to
     * its caller, which is here at another line, or leaked it: no stack tells.
     */
    static boolean mayHaveLeft(List<StackTraceElement> before, List<StackTraceElement> now) {
        int shared = shared(before, now);
        List<StackTraceElement> callers = now.subList(shared, now.size());
        return !isIn(callers, before.get(0)) && (shared == before.size() || !isIn(callers, before.get(shared)));
    }

    /** So many of the innermost frames are equal. */
    private static int shared(List<StackTraceElement> before, List<StackTraceElement> now) {
        int shared = 0;
        while (shared < Math.min(before.size(), now.size())
                && before.get(shared).equals(now.get(shared))) {
            shared++;
        }
        return shared;
    }

    static boolean isIn(List<StackTraceElement> stack, StackTraceElement frame) {
        return stack.stream().anyMatch(one -> isSameMethod(one, frame));
    }

    private static boolean isAtOtherLine(List<StackTraceElement> stack, StackTraceElement frame) {
        return stack.stream()
                .anyMatch(one -> isSameMethod(one, frame)
                        && (frame.getLineNumber() < 0 || one.getLineNumber() != frame.getLineNumber()));
    }

    private static boolean isSameMethod(StackTraceElement one, StackTraceElement other) {
        return one.getMethodName().equals(other.getMethodName())
                && one.getClassName().equals(other.getClassName());
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
        return !isGenerated(type) && !type.startsWith(OURS) && !startsWithAny(PLATFORM, type) && !isOfFrameworks(type);
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

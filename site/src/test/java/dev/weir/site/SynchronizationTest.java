package dev.weir.site;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.WeirDataSource;
import dev.weir.internal.settings.EngineSettings;
import java.io.File;
import java.lang.reflect.Field;
import java.lang.reflect.Member;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.locks.Lock;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The table of what threads share names what there is, and all that is shared by its kind. */
class SynchronizationTest {
    private static final Path CORE =
            Path.of(System.getProperty("basedir", "")).toAbsolutePath().resolveSibling("core");
    private static final Path DOC = CORE.resolveSibling("docs/why/synchronization.md");
    private static final Pattern MEMBER = Pattern.compile("`((?:[A-Z]\\w+\\.)+)([a-z]\\w*)`");

    private static List<Class<?>> engine() throws Exception {
        List<Class<?>> classes = new ArrayList<>();
        Path folder = CORE.resolve("target/classes");
        try (Stream<Path> files = Files.walk(folder.resolve("dev/weir"))) {
            for (Path file : files.toList()) {
                String name = folder.relativize(file).toString().replace(File.separatorChar, '.');
                if (name.endsWith(".class") && !name.endsWith("package-info.class")) {
                    String binary = name.substring(0, name.length() - ".class".length());
                    classes.add(Class.forName(binary, false, WeirDataSource.class.getClassLoader()));
                }
            }
        }
        return classes;
    }

    /** Nobody makes a field volatile, atomic or concurrent that one thread alone touches. */
    private static boolean isShared(Field field) {
        return !Modifier.isStatic(field.getModifiers())
                && (Modifier.isVolatile(field.getModifiers())
                        || (field.getType().getPackageName().startsWith("java.util.concurrent")
                                && !Lock.class.isAssignableFrom(field.getType())
                                && field.getType() != ThreadFactory.class));
    }

    @Test
    void tableHasEveryFieldThatIsSharedByItsKind() throws Exception {
        String doc = Files.readString(DOC);
        List<String> missing = new ArrayList<>();
        int seen = 0;
        for (Class<?> type : engine()) {
            for (Field field : type.getDeclaredFields()) {
                if (!EngineSettings.class.isAssignableFrom(type)
                        && isShared(field)) { // of settings the table speaks as a whole
                    seen++;
                    if (!doc.contains(field.getName() + "`")) {
                        missing.add(type.getSimpleName() + "." + field.getName());
                    }
                }
            }
        }
        assertThat(seen).isGreaterThan(20);
        assertThat(missing).isEmpty();
    }

    @Test
    void whatTheTableNamesIsThere() throws Exception {
        List<Class<?>> engine = engine();
        List<String> gone = new ArrayList<>();
        MEMBER.matcher(Files.readString(DOC)).results().forEach(named -> {
            String types = named.group(1);
            String simple = types.substring(types.lastIndexOf('.', types.length() - 2) + 1, types.length() - 1);
            boolean there = engine.stream()
                    .filter(type -> type.getSimpleName().equals(simple))
                    .anyMatch(type -> hasMember(type, named.group(2)));
            if (!there) {
                gone.add(named.group());
            }
        });
        assertThat(gone).isEmpty();
    }

    private static boolean hasMember(Class<?> type, String name) {
        for (Class<?> declaring = type; declaring != null; declaring = declaring.getSuperclass()) {
            Stream<Member> members = Stream.concat(
                    Arrays.stream(declaring.getDeclaredFields()), Arrays.stream(declaring.getDeclaredMethods()));
            if (members.anyMatch(member -> member.getName().equals(name))) {
                return true;
            }
        }
        return false;
    }
}

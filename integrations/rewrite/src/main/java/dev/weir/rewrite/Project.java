package dev.weir.rewrite;

import java.nio.file.Path;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.openrewrite.SourceFile;
import org.openrewrite.binary.Binary;
import org.openrewrite.java.tree.J;
import org.openrewrite.quark.Quark;
import org.openrewrite.remote.Remote;

/** What all sources of a project together do with HikariCP. */
public final class Project {
    static final String NOT_READ = "HikariCP is named here, and this recipe translates Java alone: change it by hand";
    private static final Pattern CODE = Pattern.compile(".+\\.(?:java|kts?|scala|groovy|gradle|clj)");

    /** As one string, or as a group and a name: a version catalogue, Ivy, sbt. */
    private static final Pattern COORDINATES = Pattern.compile("com\\.zaxxer[:\"'][^\n]*HikariCP");

    /** A module of a framework that brings HikariCP, in files of names and versions, which are no scripts. */
    private static final Pattern ANOTHER = Pattern.compile("[:\"'][a-z-]+-hikari(?:cp)?[:\"']");

    private static final Pattern LOG = Pattern.compile("(?i)logg(?:er|ing)");
    private static final int SHOWN = 5;

    private final Map<Path, HikariUses> java = new TreeMap<>();
    private final Map<Path, SpringFile> spring = new TreeMap<>();
    private final Map<Path, Build> builds = new TreeMap<>();

    /** Sources that name HikariCP and are not translated. */
    private final Set<Path> others = new TreeSet<>();

    /** Reads one source; read again, it counts as it is now. */
    void read(SourceFile source) {
        Path path = source.getSourcePath();
        if (source instanceof J.CompilationUnit unit) {
            java.put(path, HikariUses.of(unit));
            return;
        }
        if (source instanceof Quark || source instanceof Binary || source instanceof Remote) {
            if (CODE.matcher(path.toString()).matches()) {
                others.add(path); // the contents are not visible
            }
            return;
        }
        String text = Mark.without(source.printAll());
        Build build = Build.of(source, text);
        if (build != null) {
            builds.put(path, build);
            return;
        }
        SpringFile file = SpringFile.of(source);
        if (file != null) {
            spring.put(path, file);
        }
        if ((file == null || !file.isKnown) && isNamed(path, text)) {
            others.add(path);
        } else {
            others.remove(path);
        }
    }

    /** The name of a log is no use. */
    private static boolean isNamed(Path path, String text) {
        String name = String.valueOf(path.getFileName());
        if (name.matches(".*\\.(md|adoc|txt|html|lockfile|iml)|\\.classpath") || path.startsWith(".idea")) {
            return false; // text for readers, or what a build tool or an editor writes again
        }
        return Hikari.SPRING_KEY.matcher(text).find()
                || COORDINATES.matcher(text).find()
                || (name.matches(".+\\.(?:toml|sbt)") && ANOTHER.matcher(text).find())
                || text.lines().anyMatch(line -> line.contains(Hikari.PACKAGE) && !isLog(line));
    }

    static boolean isLog(String text) {
        return LOG.matcher(text).find();
    }

    /** The classes that its sources declare. */
    Set<String> types() {
        return java.values().stream().flatMap(uses -> uses.declared.stream()).collect(Collectors.toSet());
    }

    @Nullable
    SpringFile spring(Path path) {
        return spring.get(path);
    }

    boolean isLeft(Path path) {
        return others.contains(path);
    }

    /** Whether everything can be changed. */
    boolean isMoving() {
        return left().isEmpty() && !lacksStarter() && builds.values().stream().allMatch(one -> one.left() == null);
    }

    private boolean lacksStarter() {
        return builds.keySet().stream().anyMatch(this::lacksStarter);
    }

    /** Whether a build needs Weir's starter: with the keys renamed, its application would run HikariCP with its defaults. */
    private boolean lacksStarter(Path path) {
        if (builds.values().stream().noneMatch(Build::isBoot)) {
            return spring.values().stream().anyMatch(SpringFile::isHikaris)
                    && builds.values().stream().noneMatch(Build::hasStarter);
        }
        Build build = builds.get(path);
        return build != null
                && build.isBoot()
                && !build.hasStarter()
                && builds.entrySet().stream()
                        .noneMatch(one -> one.getValue().hasStarter()
                                && one.getValue().isForModules()
                                && isIn(path, one.getKey().getParent()));
    }

    private static boolean isIn(Path path, @Nullable Path folder) {
        return folder == null || path.startsWith(folder);
    }

    private Set<Path> left() {
        SpringFile.keepSizes(spring.values());
        Set<String> types = types();
        Set<Path> left = new TreeSet<>(others);
        java.forEach((path, uses) -> {
            if (!uses.leftIn(types).isEmpty()) {
                left.add(path);
            }
        });
        spring.forEach((path, file) -> {
            if (!file.left.isEmpty()) {
                left.add(path);
            }
        });
        return left;
    }

    /** What to say in a build file, or null for nothing. */
    @Nullable
    String whyBuildStays(Path path, String version) {
        Build build = builds.get(path);
        if (build == null) {
            return null;
        }
        if (build.left() != null) {
            return build.left();
        }
        if (lacksStarter(path)) {
            return "add dev.weir:weir-spring-boot-starter:" + version + " (Spring Boot 4) or weir-spring-boot3-starter"
                    + " (Spring Boot 3.5), " + Hikari.NO_SIZE + ", and run this again";
        }
        Set<Path> left = left();
        if (left.isEmpty()) {
            return null;
        }
        Set<String> shown = new HashSet<>();
        String names = left.stream()
                .map(one -> one.toString().replace('\\', '/'))
                .filter(one -> shown.size() < SHOWN && shown.add(one))
                .collect(Collectors.joining(", "));
        return "HikariCP stays until its uses are changed in " + names
                + (left.size() > SHOWN ? " and " + (left.size() - SHOWN) + " more" : "") + "; then run this again";
    }
}

package dev.weir;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaConstructor;
import com.tngtech.archunit.core.domain.JavaFieldAccess;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * The rooms of the core, which are its packages, and the arrows between them. A room knows those below it. News for a
 * room above comes through the inbox: the Keeper's room takes no callback.
 */
class RoomsTest {
    private static final String INTERNAL = "dev.weir.internal.";

    /** The rooms that know nothing of a pool, from the ground up: each may know those before it. */
    private static final List<String> GROUND = List.of("text", "settings", "sockets", "sessions", "sources");

    /** Each room of the pool, and which others it may know besides {@link #GROUND}, {@code spi} and {@code values}. */
    private static final Map<String, Set<String>> ROOMS = Map.of(
            "slots", Set.of(),
            "handles", Set.of("slots"),
            "observing", Set.of(),
            "shared", Set.of("slots", "handles", "observing"),
            "lending", Set.of("slots", "handles", "observing", "shared"),
            "working", Set.of("slots", "observing", "shared"),
            "keeping", Set.of("slots", "observing", "shared", "working"),
            "engine", Set.of("slots", "handles", "observing", "shared", "lending", "working", "keeping"),
            "binding", Set.of("slots", "handles", "observing", "shared", "lending"),
            "api", Set.of("slots", "handles", "observing", "shared", "lending", "working", "engine", "binding"));

    /** The public classes that say what is: everybody may know them. */
    private static final Set<String> VALUES =
            Set.of("RetireReason", "HeldConnection", "OpenFailure", "PoolStats", "LoanTimes", "PlaceStats");

    /** Rooms in which no arrow comes back to where it began, not even through others. */
    private static final Set<String> WITHOUT_CYCLES =
            Set.of("lending", "keeping", "working", "shared", "observing", "engine", "sources");

    /** Called by workers alone: the driver, and the name service. And chance, which calls nobody. */
    private static final Set<String> NO_CALLBACKS = Set.of("ConnectionSource", "ServerName", "RandomGenerator");

    private static final JavaClasses CORE = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages("dev.weir");

    private static String roomOf(JavaClass type) {
        String in = type.getPackageName();
        if (in.startsWith(INTERNAL)) {
            return in.substring(INTERNAL.length());
        }
        return in.equals("dev.weir.spi") ? "spi" : VALUES.contains(topLevel(type)) ? "values" : "api";
    }

    private static String topLevel(JavaClass type) {
        String binary = type.getName();
        String simple = binary.substring(binary.lastIndexOf('.') + 1);
        int nested = simple.indexOf('$');
        return nested < 0 ? simple : simple.substring(0, nested);
    }

    private static boolean isOurs(JavaClass type) {
        return type.getPackageName().startsWith("dev.weir") && !type.isArray();
    }

    private static boolean mayKnow(String room, String other) {
        if (room.equals(other) || other.equals("spi") || other.equals("values")) {
            return !room.equals("text");
        }
        int below = GROUND.indexOf(other);
        int own = GROUND.indexOf(room);
        if (own >= 0) {
            return below >= 0 && below < own;
        }
        return below >= 0 || Objects.requireNonNull(ROOMS.get(room), room).contains(other);
    }

    @Test
    void aRoomKnowsThoseBelowIt() {
        Set<String> upwards = new TreeSet<>();
        int seen = 0;
        for (JavaClass type : CORE) {
            String room = roomOf(type);
            for (Dependency known : type.getDirectDependenciesFromSelf()) {
                JavaClass target = known.getTargetClass().getBaseComponentType();
                if (isOurs(target) && !room.equals(roomOf(target))) {
                    seen++;
                    boolean value = room.equals("spi") || room.equals("values");
                    String other = roomOf(target);
                    if (value ? !other.equals("spi") && !other.equals("values") : !mayKnow(room, other)) {
                        upwards.add(topLevel(type) + " knows " + topLevel(target));
                    }
                }
            }
        }
        assertThat(seen).isGreaterThan(100);
        assertThat(upwards).isEmpty();
    }

    @Test
    void aSlotCarriesItsSessionAndSocketsAndKnowsNothingElseOfDrivers() {
        Set<String> known = new TreeSet<>();
        for (JavaClass type : CORE) {
            for (Dependency dependency : type.getDirectDependenciesFromSelf()) {
                JavaClass target = dependency.getTargetClass().getBaseComponentType();
                if (roomOf(type).equals("slots") && isOurs(target) && GROUND.contains(roomOf(target))) {
                    known.add(topLevel(type) + " knows " + topLevel(target));
                }
            }
        }
        assertThat(known)
                .containsExactly("Health knows WatchedSockets", "Slot knows Session", "Slot knows WatchedSockets");
    }

    /** News comes to the Keeper as words that its steps read, in the inbox, the slots, the queue and the jobs. */
    @Test
    void nothingInTheKeepersRoomIsMadeWithACallback() {
        Set<String> callbacks = new TreeSet<>();
        int seen = 0;
        for (JavaClass type : CORE) {
            if (!roomOf(type).equals("keeping")) {
                continue;
            }
            for (JavaConstructor constructor : type.getConstructors()) {
                for (JavaClass parameter : constructor.getRawParameterTypes()) {
                    seen++;
                    if (isFunctional(parameter) && !NO_CALLBACKS.contains(topLevel(parameter))) {
                        callbacks.add(topLevel(type) + " is made with a " + parameter.getSimpleName());
                    }
                }
            }
        }
        assertThat(seen).isGreaterThan(20);
        assertThat(callbacks).isEmpty();
    }

    private static boolean isFunctional(JavaClass type) {
        return type.isInterface()
                && type.getAllMethods().stream()
                                .filter(method -> method.getModifiers().contains(JavaModifier.ABSTRACT))
                                .count()
                        == 1;
    }

    @Test
    void noTwoPartsOfARoomKnowEachOther() {
        Map<String, Set<String>> known = new TreeMap<>();
        for (JavaClass type : CORE) {
            String room = roomOf(type);
            for (Dependency dependency : type.getDirectDependenciesFromSelf()) {
                JavaClass target = dependency.getTargetClass().getBaseComponentType();
                if (WITHOUT_CYCLES.contains(room)
                        && isOurs(target)
                        && roomOf(target).equals(room)
                        && !topLevel(type).equals(topLevel(target))) {
                    known.computeIfAbsent(topLevel(type), name -> new TreeSet<>())
                            .add(topLevel(target));
                }
            }
        }
        assertThat(known).as("parts that know others").hasSizeGreaterThan(10);
        Set<String> cycles = new TreeSet<>();
        for (String part : known.keySet()) {
            if (reachable(part, known).contains(part)) {
                cycles.add(part);
            }
        }
        assertThat(cycles).isEmpty();
    }

    /** All that is known from here, directly or through others. */
    private static Set<String> reachable(String from, Map<String, Set<String>> known) {
        Set<String> reached = new TreeSet<>();
        Deque<String> next = new ArrayDeque<>(List.of(from));
        while (!next.isEmpty()) {
            for (String other : known.getOrDefault(next.remove(), Set.of())) {
                if (reached.add(other)) {
                    next.add(other);
                }
            }
        }
        return reached;
    }

    /** State lives with the class that writes it. Those of what it extends count too: they are of one object. */
    @Test
    void noClassHasMoreThanTwelveFieldsThatOthersWrite() {
        Map<String, Set<String>> written = new TreeMap<>();
        for (JavaClass type : CORE) {
            for (JavaFieldAccess access : type.getFieldAccessesFromSelf()) {
                String owner = topLevel(access.getTargetOwner());
                if (access.getAccessType() == JavaFieldAccess.AccessType.SET
                        && isOurs(access.getTargetOwner())
                        && !owner.equals(topLevel(type))) {
                    written.computeIfAbsent(owner, name -> new TreeSet<>()).add(access.getName());
                }
            }
        }
        assertThat(written.get("Slot")).as("seen at all").contains("holder", "driverError", "stranded");
        assertThat(written)
                .allSatisfy((owner, fields) -> assertThat(fields)
                        .as("fields of %s that others write", owner)
                        .hasSizeLessThanOrEqualTo(owner.equals("PoolState") ? 19 : 12));
    }

    /** A file that a reader can take in at a sitting. */
    @Test
    void noFileIsLongerThan450Lines() throws IOException {
        Path sources = Path.of(System.getProperty("basedir", ""), "src/main/java");
        try (Stream<Path> files = Files.walk(sources)) {
            List<Path> all =
                    files.filter(path -> path.toString().endsWith(".java")).toList();
            assertThat(all).hasSizeGreaterThan(50);
            for (Path file : all) {
                assertThat(Files.readAllLines(file)).as(file.toString()).hasSizeLessThanOrEqualTo(450);
            }
        }
    }
}

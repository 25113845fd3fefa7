package dev.weir;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaFieldAccess;
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
 * The rooms of the core, which are its packages, and the floors of the engine. A class knows its own room and floor and those
 * below; what is above it, it tells by callbacks.
 */
class FloorsTest {
    private static final String INTERNAL = "dev.weir.internal.";

    /** Each room, and which others it may know. */
    private static final Map<String, Set<String>> ROOMS = Map.of(
            "spi", Set.of("values"),
            "values", Set.of("spi"),
            "text", Set.of(),
            "settings", Set.of("text", "spi"),
            "drivers", Set.of("settings", "text", "spi"),
            "waiting", Set.of("drivers", "spi", "values"),
            "handles", Set.of("waiting", "drivers", "text", "values"),
            "engine", Set.of("handles", "waiting", "drivers", "settings", "text", "spi", "values"),
            "api", Set.of("engine", "handles", "waiting", "drivers", "settings", "text", "spi", "values"));

    /** What is public and says what is: everybody may know them. */
    private static final Set<String> VALUES = Set.of("RetireReason", "HeldConnection", "OpenFailure", "PoolStats");

    /** The floors of the engine, from the ground up. */
    private static final List<Set<String>> FLOORS = List.of(
            Set.of("ConnectHistory", "Events", "StandingQueue", "Sizer", "SerialExecutor"),
            Set.of("Workers"),
            Set.of("Listeners"),
            Set.of("PoolState", "Holding"),
            Set.of("Job", "Faults", "Holders", "LeakScan", "Need", "Refusals", "ServerName", "Starting"),
            Set.of("Returning", "Check", "Close"),
            Set.of("Connect", "Testing", "ReturnWatch"),
            Set.of("RetryGate", "ServerMaximum"),
            Set.of("Retiring"),
            Set.of("Opening", "Ending"),
            Set.of("Ages", "Acquiring"),
            Set.of("Keeper"),
            Set.of("ConnectionPool"));

    private static final JavaClasses CORE = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages("dev.weir");

    private static int floorOf(JavaClass type) {
        String name = topLevel(type);
        for (int floor = 0; floor < FLOORS.size(); floor++) {
            if (FLOORS.get(floor).contains(name)) {
                return floor;
            }
        }
        throw new AssertionError(name + " has no floor");
    }

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

    private static boolean isEngine(JavaClass type) {
        return isOurs(type) && roomOf(type).equals("engine") && !topLevel(type).equals("package-info");
    }

    @Test
    void aRoomKnowsThoseBelowIt() {
        Set<String> upwards = new TreeSet<>();
        int seen = 0;
        for (JavaClass type : CORE) {
            for (Dependency known : type.getDirectDependenciesFromSelf()) {
                JavaClass target = known.getTargetClass().getBaseComponentType();
                if (isOurs(target) && !roomOf(type).equals(roomOf(target))) {
                    seen++;
                    if (!Objects.requireNonNull(ROOMS.get(roomOf(type)), roomOf(type))
                            .contains(roomOf(target))) {
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
                if (roomOf(type).equals("waiting")
                        && isOurs(target)
                        && roomOf(target).equals("drivers")) {
                    known.add(topLevel(type) + " knows " + topLevel(target));
                }
            }
        }
        assertThat(known)
                .containsExactly("Health knows WatchedSockets", "Slot knows Session", "Slot knows WatchedSockets");
    }

    @Test
    void noPartOfTheEngineKnowsAFloorAboveItsOwn() {
        Set<String> upwards = new TreeSet<>();
        for (JavaClass type : CORE) {
            for (Dependency known : type.getDirectDependenciesFromSelf()) {
                JavaClass target = known.getTargetClass().getBaseComponentType();
                if (isEngine(type) && isEngine(target) && floorOf(target) > floorOf(type)) {
                    upwards.add(topLevel(type) + " knows " + topLevel(target));
                }
            }
        }
        assertThat(upwards).isEmpty();
    }

    /** On one floor too the arrows go one way: none comes back to where it began. */
    @Test
    void noTwoPartsOfTheEngineKnowEachOther() {
        Map<String, Set<String>> known = new TreeMap<>();
        for (JavaClass type : CORE) {
            for (Dependency dependency : type.getDirectDependenciesFromSelf()) {
                JavaClass target = dependency.getTargetClass().getBaseComponentType();
                if (isEngine(type) && isEngine(target)) {
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

    /** Whatever is known from here, directly or through others; a class knows itself without that. */
    private static Set<String> reachable(String from, Map<String, Set<String>> known) {
        Set<String> reached = new TreeSet<>();
        Deque<String> next = new ArrayDeque<>(List.of(from));
        while (!next.isEmpty()) {
            String part = next.remove();
            for (String other : known.getOrDefault(part, Set.of())) {
                if (!other.equals(part) && reached.add(other)) {
                    next.add(other);
                }
            }
        }
        return reached;
    }

    @Test
    void everyNameStandsForAClass() {
        Set<String> there = new TreeSet<>();
        CORE.forEach(type -> there.add(topLevel(type)));
        assertThat(FLOORS).allSatisfy(floor -> assertThat(there).containsAll(floor));
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
        assertThat(written.get("Slot")).as("seen at all").contains("holder", "brokenBy", "stranded");
        assertThat(written)
                .allSatisfy((owner, fields) -> assertThat(fields)
                        .as("fields of %s that others write", owner)
                        .hasSizeLessThanOrEqualTo(owner.equals("PoolState") ? 19 : 12));
    }

    /** A file that a reader can take in at a sitting. */
    @Test
    void noFileIsLongerThanFiveHundredLines() throws IOException {
        Path sources = Path.of(System.getProperty("basedir", ""), "src/main/java");
        try (Stream<Path> files = Files.walk(sources)) {
            List<Path> all =
                    files.filter(path -> path.toString().endsWith(".java")).toList();
            assertThat(all).hasSizeGreaterThan(50);
            for (Path file : all) {
                assertThat(Files.readAllLines(file)).as(file.toString()).hasSizeLessThanOrEqualTo(500);
            }
        }
    }
}

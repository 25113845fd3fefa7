package dev.weir;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/**
 * The floors of the engine, from the ground up. A class knows its own floor and those below it; what is above it, it tells by
 * callbacks. All that is named here knows nobody above it, and whatever is not named (settings, drivers, values) knows nobody
 * named here.
 */
class FloorsTest {
    private static final List<Set<String>> FLOORS = List.of(
            Set.of("SlotPadding", "Slot", "Slots", "Lender", "WaitQueue", "Waiter", "PoolClock"),
            Set.of("Tracked", "Temporary", "Handles", "OrphanResult", "XmlHandles", "ConnectionHandle"),
            Set.of(
                    "PoolState",
                    "LoanTimer",
                    "Holders",
                    "Strays",
                    "Sizer",
                    "StandingQueue",
                    "RetryGate",
                    "Helpers",
                    "Keeper"),
            Set.of("Closer"),
            Set.of("Places"),
            Set.of("Returning", "Returns", "Checker", "Opener", "Refusals"),
            Set.of("Acquiring", "Supply", "Lifecycle"),
            Set.of("Demand", "Housekeeper"),
            Set.of("ConnectionPool"),
            Set.of("PoolMBean", "Jmx"),
            Set.of("WeirDataSource", "WeirObjectFactory"));

    private static final JavaClasses CORE = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages("dev.weir");

    /** The floor of a class; -1 for the ground. */
    private static int floorOf(JavaClass type) {
        String name = topLevel(type);
        for (int floor = 0; floor < FLOORS.size(); floor++) {
            if (FLOORS.get(floor).contains(name)) {
                return floor;
            }
        }
        return isHandle(name) ? 1 : -1;
    }

    private static boolean isHandle(String name) {
        return name.endsWith("Handle");
    }

    private static String topLevel(JavaClass type) {
        String binary = type.getName();
        String simple = binary.substring(binary.lastIndexOf('.') + 1);
        int nested = simple.indexOf('$');
        return nested < 0 ? simple : simple.substring(0, nested);
    }

    private static boolean isOurs(JavaClass type) {
        return type.getPackageName().equals("dev.weir") && !type.isArray();
    }

    @Test
    void nobodyKnowsAFloorAboveItsOwn() {
        Set<String> upwards = new TreeSet<>();
        for (JavaClass type : CORE) {
            for (Dependency known : type.getDirectDependenciesFromSelf()) {
                JavaClass target = known.getTargetClass().getBaseComponentType();
                if (isOurs(type) && isOurs(target) && floorOf(target) > floorOf(type)) {
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
                if (isOurs(type) && isOurs(target) && floorOf(type) > 1 && floorOf(target) > 1) {
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
}

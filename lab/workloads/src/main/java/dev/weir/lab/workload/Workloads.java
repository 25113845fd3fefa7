package dev.weir.lab.workload;

import java.util.Comparator;
import java.util.List;
import java.util.ServiceLoader;
import java.util.stream.Collectors;

/** All workloads on the class path. */
public final class Workloads {
    private static final List<String> ORDER = List.of(
            "cycle", "mixed", "spike", "battle", "down", "failover", "fleet", "fair", "start", "contract", "grid");

    private Workloads() {}

    /** Returns all, in the order in which they are told of. */
    public static List<Workload> all() {
        return ServiceLoader.load(Workload.class).stream()
                .map(ServiceLoader.Provider::get)
                .sorted(Comparator.comparingInt((Workload workload) -> place(workload.name()))
                        .thenComparing(Workload::name))
                .toList();
    }

    private static int place(String name) {
        int place = ORDER.indexOf(name);
        return place < 0 ? ORDER.size() : place;
    }

    /**
     * Returns a workload.
     *
     * @throws IllegalArgumentException naming all, if there is none of this name
     */
    public static Workload named(String name) {
        List<Workload> all = all();
        return all.stream()
                .filter(workload -> workload.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("workload: %s (expected: %s)"
                        .formatted(name, all.stream().map(Workload::name).collect(Collectors.joining(", ")))));
    }
}

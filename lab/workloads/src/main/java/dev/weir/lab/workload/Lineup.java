package dev.weir.lab.workload;

import dev.weir.lab.contender.Contenders;
import dev.weir.lab.contender.Entrant;
import dev.weir.lab.contender.ExtraClassPath;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The pools of a run, by label. Immutable. */
public final class Lineup {
    private final Map<String, Entrant> byLabel;

    private Lineup(Map<String, Entrant> byLabel) {
        this.byLabel = byLabel;
    }

    /**
     * Finds the pools.
     *
     * @param definitions as {@link Contenders#parse} reads them
     * @param classPath where else to look for classes
     * @throws IllegalArgumentException naming the pool that is unknown, wrong, or named twice
     */
    public static Lineup of(List<String> definitions, List<String> classPath) {
        ClassLoader loader = ExtraClassPath.loader(classPath);
        Map<String, Entrant> byLabel = new LinkedHashMap<>();
        for (String definition : definitions) {
            Entrant entrant = Contenders.parse(definition, loader);
            if (byLabel.put(entrant.label(), entrant) != null) {
                throw new IllegalArgumentException("pool: " + entrant.label() + " (expected: each only once)");
            }
        }
        if (byLabel.isEmpty()) {
            throw new IllegalArgumentException("pools: none (expected: one at least)");
        }
        return new Lineup(byLabel);
    }

    /** Returns the names of all contenders but these, in the order in which they are told of. */
    public static List<String> allBut(String... names) {
        List<String> all = new ArrayList<>();
        Contenders.all().forEach(contender -> all.add(contender.name()));
        all.removeAll(List.of(names));
        return all;
    }

    public List<Entrant> all() {
        return new ArrayList<>(byLabel.values());
    }

    public Entrant get(String label) {
        Entrant entrant = byLabel.get(label);
        if (entrant == null) {
            throw new IllegalArgumentException("pool: " + label + " (expected: " + byLabel.keySet() + ")");
        }
        return entrant;
    }
}

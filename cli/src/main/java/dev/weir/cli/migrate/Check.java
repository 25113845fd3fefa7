package dev.weir.cli.migrate;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * Builds the configuration of each pool from the result, as it stands in the file: that of the documents for everybody, with each
 * document for a profile, and with each two of them, as two profiles may be active at once.
 */
final class Check {
    private record Document(Map<String, String> condition, Map<String, String> values) {}

    private final List<Document> documents = new ArrayList<>();
    private final Set<Group> groups = new LinkedHashSet<>();

    void add(Map<String, String> condition, Map<String, String> values, Set<Group> pools) {
        documents.add(new Document(condition, values));
        groups.addAll(pools);
    }

    /** What a pool would refuse, a line each, with the profiles; without what is known already. */
    List<String> faults(Set<String> known) {
        List<Document> always =
                documents.stream().filter(one -> one.condition().isEmpty()).toList();
        List<Document> some =
                documents.stream().filter(one -> !one.condition().isEmpty()).toList();
        Set<String> faults = new LinkedHashSet<>();
        for (Group group : groups) {
            List<String> before = new ArrayList<>(known.stream()
                    .map(one -> one.replaceFirst("^" + Pattern.quote(group.where() + ": "), ""))
                    .toList());
            merge(group, always, List.of(), before, faults);
            for (int i = 0; i < some.size(); i++) {
                merge(group, always, List.of(some.get(i)), before, faults);
            }
            for (int i = 0; i < some.size(); i++) {
                for (int j = i + 1; j < some.size(); j++) {
                    merge(group, always, List.of(some.get(i), some.get(j)), before, faults);
                }
            }
        }
        return List.copyOf(faults);
    }

    private static void merge(
            Group group, List<Document> always, List<Document> some, List<String> known, Set<String> faults) {
        Map<String, String> merged = new TreeMap<>();
        always.forEach(one -> merged.putAll(one.values()));
        some.forEach(one -> merged.putAll(one.values()));
        String profiles = String.join(
                " and ",
                some.stream()
                        .map(one -> String.join(", ", one.condition().values()))
                        .toList());
        for (String fault : Translation.faults(group.settings(merged))) {
            if (!known.contains(fault)) {
                known.add(fault);
                faults.add(group.where() + (profiles.isEmpty() ? "" : ", with " + profiles) + ": " + fault);
            }
        }
    }
}

package dev.weir.lab.report;

import dev.weir.lab.runs.Machine;
import java.io.IOException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Which runs may stand on one page, and which may be published at all. */
final class Publication {
    private Publication() {}

    /**
     * Checks that nothing speaks against runs: each is whole, of enough rounds and of a quiet machine, all are of one machine, and
     * none measures a case that another measures.
     *
     * @throws IOException naming the run and what speaks against it
     */
    static void check(List<Run> runs) throws IOException {
        Set<String> cases = new HashSet<>();
        Map<String, String> versions = new HashMap<>();
        for (Run run : runs) {
            if (run.info().ended() == null) {
                throw new IOException(name(run) + " is not finished (expected: to be, before it is published)");
            }
            if (!run.info().doubts().isEmpty()) {
                throw new IOException(
                        name(run) + ": " + String.join(" ", run.info().doubts()));
            }
            for (String caseName : run.cases()) {
                if (!cases.add(run.info().workload() + ": " + caseName)) {
                    throw new IOException(
                            "%s: another of these runs has the case '%s' too (expected: one number for each)"
                                    .formatted(name(run), caseName));
                }
            }
            run.info().versions().forEach((pool, version) -> versions.putIfAbsent(pool, version));
            for (Map.Entry<String, String> own : run.info().versions().entrySet()) {
                if (!own.getValue().equals(versions.get(own.getKey()))) {
                    throw new IOException("%s: %s is %s (expected: %s, as in the others)"
                            .formatted(name(run), own.getKey(), own.getValue(), versions.get(own.getKey())));
                }
            }
        }
        checkOneMachine(runs);
    }

    /**
     * Checks that all runs are of one machine and JDK.
     *
     * @throws IOException naming two that are not, and what they differ in
     */
    static void checkOneMachine(List<Run> runs) throws IOException {
        for (Run run : runs) {
            String difference = Machine.difference(
                            runs.get(0).info().machine(), run.info().machine())
                    .orElse("");
            if (!difference.isEmpty()) {
                throw new IOException("%s and %s are of two machines: %s (expected: one for all)"
                        .formatted(name(runs.get(0)), name(run), difference));
            }
        }
    }

    private static String name(Run run) {
        return run.folder().path().toString();
    }
}

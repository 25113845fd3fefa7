package dev.weir.lab.report;

import dev.weir.lab.runs.RunFolder;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** What a run says, in a sentence or a few: for the terminal. */
public final class ShortVerdict {
    private static final int CASES_ONE_BY_ONE = 3;

    private ShortVerdict() {}

    /** Returns it without line breaks; empty where there was nothing to compare. */
    public static String of(RunFolder folder) throws IOException {
        Run run = Run.read(folder);
        if (run.pools().stream().filter(pool -> !Run.isFloor(pool)).count() < 2) {
            return "";
        }
        Chapter chapter = Chapter.of(run.info().workload());
        List<String> sentences = new ArrayList<>();
        if (run.cases().size() <= CASES_ONE_BY_ONE) {
            for (String caseName : run.cases()) {
                chapter.headlines(run, caseName).stream()
                        .map(metric -> Verdict.sentence(run, caseName, metric))
                        .filter(sentence -> !sentence.isEmpty())
                        .findFirst()
                        .ifPresent(sentence ->
                                sentences.add(run.cases().size() == 1 ? sentence : caseName + ": " + sentence));
            }
        } else {
            List<String> all = chapter.headlines(run);
            sentences.add(Verdict.score(run, all.subList(0, Math.min(1, all.size()))));
        }
        if (!sentences.isEmpty() && run.rounds() == 1) {
            sentences.add("One round: to see that it works, not to publish.");
        }
        return String.join(" ", sentences).strip();
    }
}

package dev.weir.lab;

import dev.weir.lab.runs.RunFolder;
import dev.weir.lab.runs.RunInfo;
import dev.weir.lab.workload.RunRequest;
import dev.weir.lab.workload.Runner;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.function.ToIntFunction;

/** Several runs, one after the other, which can be stopped and gone on with. */
final class Agenda {
    private final List<RunRequest> requests;
    private final ToIntFunction<RunInfo> position;
    private final String goOn;
    private final boolean again;

    /**
     * Plans them.
     *
     * @param position which of the requests a run is of; -1 if of none
     * @param goOn the command line that goes on if they are stopped
     * @param again whether what others disturbed is run again, once
     */
    Agenda(List<RunRequest> requests, ToIntFunction<RunInfo> position, String goOn, boolean again) {
        this.requests = requests;
        this.position = position;
        this.goOn = goOn;
        this.again = again;
    }

    private boolean wantsAgain(Session session) {
        return again && session.wasDisturbed() && !session.wasCutShort();
    }

    /**
     * Runs them.
     *
     * @param resume go on with the newest unfinished run of them, and with those after it
     * @return the exit code, as {@link Session#run}
     * @throws IllegalArgumentException if there is nothing to run
     */
    int run(Session session, RunOptions options, boolean resume) throws IOException, InterruptedException {
        List<RunRequest> todo = requests;
        int worst = 0;
        if (resume) {
            RunFolder unfinished = RunFolder.newestUnfinished(options.results, run -> position.applyAsInt(run) >= 0)
                    .orElseThrow(
                            () -> new IllegalArgumentException("--resume: no unfinished run in " + options.results));
            int at = position.applyAsInt(unfinished.info());
            worst = session.goOn(unfinished, Map.of(), folder -> goOn);
            todo = todo.subList(wantsAgain(session) ? at : at + 1, todo.size());
        }
        // Pools that are no pools, and cases that were not asked for, leave some out.
        todo = todo.stream().filter(request -> !Runner.cells(request).isEmpty()).toList();
        boolean any = resume || !todo.isEmpty();
        if (any && !session.wasCutShort() && !session.agrees(todo, options.yes)) {
            return 0;
        }
        for (RunRequest request : todo) {
            if (!session.wasCutShort()) {
                // Who asked to stop between two runs finds the next one planned, for --resume to go on with.
                worst = Math.max(worst, session.run(request, folder -> goOn));
                if (wantsAgain(session)) {
                    session.say("Others disturbed it: it is run once more.");
                    worst = Math.max(worst, session.run(request, folder -> goOn));
                }
            }
        }
        if (!any) {
            throw new IllegalArgumentException(
                    "--only: %s (expected: a case of one of %s, that one of the pools can run)"
                            .formatted(
                                    options.only,
                                    String.join(
                                            ", ",
                                            requests.stream()
                                                    .map(request ->
                                                            request.workload().name())
                                                    .distinct()
                                                    .toList())));
        }
        return worst;
    }
}

package dev.weir.lab.workload;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * Cells as they are handed to another JVM.
 *
 * @param jobs of one pool
 * @param atOnce how many of them run at the same time
 */
record Jobs(List<Job> jobs, int atOnce) {

    /** Runs them in this JVM; returns what came of each, in their order. */
    List<Outcome> run() {
        if (atOnce == 1) {
            return jobs.stream().map(Job::run).toList();
        }
        ExecutorService executor = Executors.newFixedThreadPool(atOnce);
        try {
            List<CompletableFuture<Outcome>> running = jobs.stream()
                    .map(job -> CompletableFuture.supplyAsync(job::run, executor))
                    .toList();
            return running.stream().map(CompletableFuture::join).toList();
        } finally {
            executor.shutdownNow();
        }
    }

    /** The same failure for each. */
    List<Outcome> failed(String message) {
        return jobs.stream().map(job -> Outcome.failed(message)).toList();
    }
}

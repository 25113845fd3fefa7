package dev.weir.spring.boot;

import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalysisReporter;

/** Keeps what an application that did not start said of it last. */
final class Analyses implements FailureAnalysisReporter {
    static volatile FailureAnalysis last;

    @Override
    public void report(FailureAnalysis analysis) {
        last = analysis;
    }
}

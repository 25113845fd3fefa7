package dev.weir.lab.workload;

import java.util.List;

/** What came of the {@link Jobs} of another JVM, in their order. */
record Outcomes(List<Outcome> all) {}

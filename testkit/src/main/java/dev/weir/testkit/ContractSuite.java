package dev.weir.testkit;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The promises of a good connection pool, as checks that run over any {@link javax.sql.DataSource}. Each check has a
 * stub database and a pool of its own and is bounded in time, so that one that hangs costs the others nothing.
 *
 * <p>P1 one owner, P2 clean return, P3 dead handle, P4 kept deadline, P5 first come, first served, P6 no storm, P7 never a
 * dead connection, P8 explains itself, P9 nothing hidden; P11 a user's fault is his own: what one does, or meets, is nothing
 * that another sees, waits for or pays; P12 nothing is lost: whatever is thrown wherever, each place can be lent afterwards.
 *
 * <p>A call of which the time matters may take 50 ms longer than it is allowed, and as much as the machine itself was
 * measured to cost in that moment, 200 ms at most; a pool that is later has two more tries, and fails if it is late each time.
 *
 * <p>Of P9 (nothing hidden) the suite sees that a pool leaves the JVM and other pools alone; that wrong values and unknown
 * names are refused by name is a matter of how a pool is configured, and shown by the tests of its settings ({@code
 * SettingTest}, {@code PoolConfigTest} and {@code DataSourceBeanTest} of Weir). P10 (free when off) is not among the checks:
 * what is on or off cannot be told through a DataSource. {@code FreeWhenOffTest} of Weir counts the clock and the bytes of a
 * loan, and the laboratory's {@code cycle} takes the time.
 *
 * <pre>{@code
 * @TestFactory
 * Stream<DynamicTest> keepsTheContract() {
 *     return ContractSuite.all().stream()
 *             .map(check -> DynamicTest.dynamicTest(check.toString(), () -> check.run(MyPool::open).orThrow()));
 * }
 * }</pre>
 */
public final class ContractSuite {

    private static final List<Check> ALL = collect();

    private ContractSuite() {}

    /** Returns every check, in the order of the promises. */
    public static List<Check> all() {
        return ALL;
    }

    /**
     * Runs checks over a pool, several at a time, since most of their time they wait. Those that look at everything in the
     * JVM are run after the others, one by one.
     *
     * @param checks what to run, from {@link #all()}
     * @param limit after which a check has failed; the good pool needs less than 10 s
     * @param atOnce how many at a time
     * @return the results, in the order of the checks
     */
    public static List<Contract.Result> run(List<Check> checks, Contract.Factory factory, Duration limit, int atOnce) {
        ExecutorService executor = Executors.newFixedThreadPool(atOnce);
        try {
            Map<Check, CompletableFuture<Contract.Result>> together = new LinkedHashMap<>();
            for (Check check : checks) {
                if (!check.alone) {
                    together.put(check, CompletableFuture.supplyAsync(() -> check.run(factory, limit), executor));
                }
            }
            together.values().forEach(CompletableFuture::join);
            return checks.stream()
                    .map(check -> {
                        CompletableFuture<Contract.Result> done = together.get(check);
                        return done == null ? check.run(factory, limit) : done.join();
                    })
                    .collect(Collectors.toList());
        } finally {
            executor.shutdown();
        }
    }

    private static List<Check> collect() {
        List<Check> all = new ArrayList<>();
        OwnerChecks.addTo(all);
        ReturnChecks.addTo(all);
        BaselineChecks.addTo(all);
        DeadHandleChecks.addTo(all);
        DeadlineChecks.addTo(all);
        FairnessChecks.addTo(all);
        OpeningChecks.addTo(all);
        DemandChecks.addTo(all);
        LivenessChecks.addTo(all);
        ExplanationChecks.addTo(all);
        HiddenChecks.addTo(all);
        FaultChecks.addTo(all);
        LossChecks.addTo(all);
        return List.copyOf(all);
    }

    /** The work of a check; it throws to fail. */
    @FunctionalInterface
    interface Body {
        void run(Scene scene) throws Throwable;
    }

    /** One check of the suite. Immutable; it can be run any number of times. */
    public static final class Check {

        private static final Duration LIMIT = Duration.ofSeconds(20);

        private final String promise;
        private final String name;
        private final StubDatabase.Likeness likeness;
        private final boolean alone;
        private final Body body;

        Check(String promise, String name, Body body) {
            this(promise, name, StubDatabase.Likeness.GENERIC, false, body);
        }

        Check(String promise, String name, StubDatabase.Likeness likeness, Body body) {
            this(promise, name, likeness, false, body);
        }

        private Check(String promise, String name, StubDatabase.Likeness likeness, boolean alone, Body body) {
            this.promise = promise;
            this.name = name;
            this.likeness = likeness;
            this.alone = alone;
            this.body = body;
        }

        /** A check that would take what another one does in the same JVM for the work of its own pool. */
        static Check alone(String promise, String name, Body body) {
            return new Check(promise, name, StubDatabase.Likeness.GENERIC, true, body);
        }

        /** Returns the promise it belongs to: P1 to P9, P11, P12, or API. */
        public String promise() {
            return promise;
        }

        /** Returns its name, unique in the suite. */
        public String name() {
            return name;
        }

        /** Returns the same check over a driver of this likeness, whichever it is for by itself. */
        public Check on(StubDatabase.Likeness driver) {
            return new Check(promise, name, driver, alone, body);
        }

        /** Whether it looks at everything in the JVM, so that no other may run beside it. */
        public boolean isAlone() {
            return alone;
        }

        /** Runs it over a pool; fails it after 20 s, and returns whatever the pool does. */
        public Contract.Result run(Contract.Factory factory) {
            return run(factory, LIMIT);
        }

        /**
         * Runs it over a pool; at most twice more, on new ones, as long as the pool is late: the first time code runs it is slow.
         *
         * @param limit after which the check has failed; the good pool needs less than 10 s
         */
        public Contract.Result run(Contract.Factory factory, Duration limit) {
            long start = System.nanoTime();
            Throwable failure = attempt(factory, limit);
            for (int again = 0; again < 2 && failure instanceof Timed.Late; again++) {
                Duration left = limit.minusNanos(System.nanoTime() - start);
                failure = left.compareTo(limit.dividedBy(3)) > 0 ? attempt(factory, left) : failure;
            }
            Duration took = Duration.ofNanos(System.nanoTime() - start);
            if (failure == null) {
                return new Contract.Result(promise, name, Contract.Outcome.PASSED, "", took);
            }
            return failure instanceof Contract.Unsupported lacking
                    ? new Contract.Result(promise, name, Contract.Outcome.UNSUPPORTED, lacking.what(), took)
                    : new Contract.Result(promise, name, Contract.Outcome.FAILED, Scene.describe(failure), took);
        }

        private @Nullable Throwable attempt(Contract.Factory factory, Duration limit) {
            Scene scene = new Scene(factory, likeness);
            try {
                scene.runBounded(name, limit, () -> body.run(scene));
                return null;
            } catch (Throwable e) {
                return e;
            } finally {
                scene.close();
            }
        }

        @Override
        public String toString() {
            return promise + " " + name;
        }
    }
}

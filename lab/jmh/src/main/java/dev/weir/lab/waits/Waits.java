package dev.weir.lab.waits;

import dev.weir.lab.contender.Contender;
import dev.weir.lab.contender.Pooled;
import dev.weir.lab.stub.StubDataSource;
import java.io.PrintStream;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.AtomicHistogram;
import org.HdrHistogram.Histogram;

/** Runs many threads on few connections and looks at how long each waits, and how often each is served. */
final class Waits {
    private static final long HOLD_NANOS = 100_000;
    private static final Duration TIMEOUT = Duration.ofMinutes(2);
    private static final long STOP_MILLIS = 15_000;

    /** So many histograms share the recording, as one a thread would be too much memory for 10,000 threads. */
    private static final int STRIPES = 16;

    private final WaitsPlan plan;
    private final PrintStream out;

    Waits(WaitsPlan plan, PrintStream out) {
        this.plan = plan;
        this.out = out;
    }

    WaitsResults run() throws SQLException, InterruptedException {
        Work parked = Work.parked(HOLD_NANOS);
        Work busy = Work.busy(HOLD_NANOS);
        WaitsResults results = new WaitsResults(plan.pools());
        for (WaitsPlan.Case what : plan.cases()) {
            if (what.virtual() && !Threads.haveVirtual()) {
                out.println(what.label() + ": skipped, virtual threads need JDK 21 or newer");
                continue;
            }
            for (int round = 1; round <= plan.rounds(); round++) {
                for (String pool : plan.pools()) {
                    WaitsResults.Sample sample =
                            measure(what, pool, what.hold() == WaitsPlan.Hold.BUSY ? busy : parked);
                    results.add(what, pool, sample);
                    out.printf("round %d of %d, %s, %s: %s%n", round, plan.rounds(), what.label(), pool, sample);
                }
            }
        }
        return results;
    }

    private WaitsResults.Sample measure(WaitsPlan.Case what, String pool, Work work)
            throws SQLException, InterruptedException {
        try (Pooled pooled = Contender.named(pool).openFilled(new StubDataSource(), what.connections(), TIMEOUT)) {
            AtomicHistogram[] stripes = stripes();
            AtomicHistogram[] closes = stripes();
            Phase phase = new Phase(what.threads());
            List<Client> clients = new ArrayList<>(what.threads());
            List<Thread> threads = new ArrayList<>(what.threads());
            Histogram inFlight = new Histogram(stripes[0].getHighestTrackableValue(), 3);
            long nanos;
            try {
                for (int i = 0; i < what.threads(); i++) {
                    Client client = new Client(pooled.source(), work, phase, stripes[i % STRIPES], closes[i % STRIPES]);
                    clients.add(client);
                    threads.add(Threads.start(what.virtual(), "client-" + i, client));
                }
                nanos = observe(phase, clients, inFlight);
            } finally {
                stop(phase, threads);
            }
            return summarize(nanos, clients, sum(stripes), sum(closes), inFlight);
        }
    }

    /** The length of the measurement; the waits that had not ended then are added to the histogram. */
    private long observe(Phase phase, List<Client> clients, Histogram inFlight) throws InterruptedException {
        long begin = System.nanoTime();
        clients.forEach(client -> client.begins(begin));
        phase.begin();
        TimeUnit.MILLISECONDS.sleep(plan.warmupMillis());
        long start = System.nanoTime();
        phase.measure();
        TimeUnit.MILLISECONDS.sleep(plan.measureMillis());
        phase.freeze();
        long end = System.nanoTime();
        for (Client client : clients) {
            long waiting = client.inFlight(end);
            if (waiting > 0) {
                inFlight.recordValue(waiting);
            }
        }
        return end - start;
    }

    private static WaitsResults.Sample summarize(
            long nanos, List<Client> clients, Histogram completed, Histogram closes, Histogram inFlight) {
        long[] served = clients.stream().mapToLong(Client::completions).toArray();
        long failures = clients.stream().mapToLong(Client::failures).sum();
        return WaitsResults.Sample.of(nanos, completed, closes, inFlight, served, failures);
    }

    private static AtomicHistogram[] stripes() {
        AtomicHistogram[] stripes = new AtomicHistogram[STRIPES];
        for (int i = 0; i < STRIPES; i++) {
            stripes[i] = new AtomicHistogram(TIMEOUT.toNanos() * 2, 3);
        }
        return stripes;
    }

    private static Histogram sum(AtomicHistogram[] stripes) {
        Histogram sum = new Histogram(stripes[0].getHighestTrackableValue(), 3);
        for (AtomicHistogram stripe : stripes) {
            sum.add(stripe);
        }
        return sum;
    }

    /**
     * Ends the load: each thread is served once more and goes. Interrupted are only those who are not served in time: some
     * pools lose their way when hundreds of waiters are interrupted at once, and that is not what is measured here.
     */
    private void stop(Phase phase, List<Thread> threads) throws InterruptedException {
        phase.end();
        if (join(threads) > 0) {
            threads.forEach(Thread::interrupt);
            int left = join(threads);
            if (left > 0) {
                out.println(left + " threads did not end, even when interrupted");
            }
        }
    }

    private static int join(List<Thread> threads) throws InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(STOP_MILLIS);
        int left = 0;
        for (Thread thread : threads) {
            thread.join(Math.max(1, TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime())));
            left += thread.isAlive() ? 1 : 0;
        }
        return left;
    }
}

package dev.weir.lab.workload.fair;

import com.sun.management.OperatingSystemMXBean;
import dev.weir.lab.workload.CellRun;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.LongSummaryStatistics;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.HdrHistogram.AtomicHistogram;
import org.HdrHistogram.Histogram;

/** Runs one load on one pool and looks at how long each thread waits, and how often each is served. */
final class Waits {
    private static final long HIGHEST_NANOS = TimeUnit.MINUTES.toNanos(20);
    private static final long STOP_MILLIS = 15_000;

    /** So many histograms share the recording, as one a thread would be too much memory for 10,000 threads. */
    private static final int STRIPES = 16;

    private static final OperatingSystemMXBean SYSTEM =
            ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);

    private final Load load;
    private final Work work;
    private final Duration warmup;
    private final Duration measure;
    private final AtomicHistogram[] waits = stripes();
    private final AtomicHistogram[] closes = stripes();
    private final AtomicHistogram[] both = stripes();
    private final List<Client> clients = new ArrayList<>();

    Waits(Load load, Work work, Duration warmup, Duration measure) {
        this.load = load;
        this.work = work;
        this.warmup = warmup;
        this.measure = measure;
    }

    void measure(DataSource pool, CellRun cell) throws InterruptedException {
        Phase phase = new Phase(load.threads());
        List<Thread> threads = new ArrayList<>(load.threads());
        try {
            for (int i = 0; i < load.threads(); i++) {
                int stripe = i % STRIPES;
                Client client = new Client(pool, work, phase, load, waits[stripe], closes[stripe], both[stripe]);
                clients.add(client);
                threads.add(load.start("client-" + i, client));
            }
            observe(phase, threads, cell);
        } finally {
            stop(phase, threads);
        }
    }

    private void observe(Phase phase, List<Thread> threads, CellRun cell) throws InterruptedException {
        long begin = System.nanoTime();
        clients.forEach(client -> client.begins(begin));
        phase.begin();
        TimeUnit.NANOSECONDS.sleep(warmup.toNanos());
        long start = System.nanoTime();
        long cpu = SYSTEM.getProcessCpuTime();
        phase.measure();
        TimeUnit.NANOSECONDS.sleep(measure.toNanos() / 2);
        long ofFirstHalf = clients.stream().mapToLong(Client::completions).sum();
        TimeUnit.NANOSECONDS.sleep(start + measure.toNanos() - System.nanoTime());
        phase.freeze();
        long end = System.nanoTime();
        long cpuNanos = SYSTEM.getProcessCpuTime() - cpu;
        Histogram inFlight = new Histogram(HIGHEST_NANOS, 3);
        for (Client client : clients) {
            if (client.inFlight(end) > 0) {
                inFlight.recordValue(Math.min(client.inFlight(end), HIGHEST_NANOS));
            }
        }
        stop(phase, threads);
        tell(cell, end - start, cpuNanos, inFlight, ofFirstHalf);
    }

    /**
     * The percentiles count every wait that ended in the measurement with its whole length, and every wait still in flight at its end
     * with the length it had by then: a thread that is never served must not vanish from them.
     */
    private void tell(CellRun cell, long nanos, long cpuNanos, Histogram inFlight, long ofFirstHalf) {
        LongSummaryStatistics served =
                clients.stream().mapToLong(Client::completions).summaryStatistics();
        long total = served.getSum();
        if (total == 0) {
            throw new IllegalStateException("nobody was served: "
                    + clients.stream()
                            .map(Client::lastFailure)
                            .filter(Objects::nonNull)
                            .findFirst());
        }
        double seconds = nanos / 1e9;
        cell.measure("throughput", total / seconds, "1/s");
        cell.measure("first half mean", ofFirstHalf / (seconds / 2), "1/s");
        cell.measure("second half mean", (total - ofFirstHalf) / (seconds / 2), "1/s");
        Histogram completed = sum(waits);
        Histogram all = new Histogram(completed);
        all.add(inFlight);
        percentiles(cell, "", all);
        percentiles(cell, "completed ", completed);
        cell.millis("close p99", sum(closes).getValueAtPercentile(99));
        cell.millis("close max", sum(closes).getMaxValue());
        cell.millis("both p99", sum(both).getValueAtPercentile(99));
        cell.count("completions", total);
        cell.count("most", served.getMax());
        cell.count("least", served.getMin());
        cell.count(
                "unserved",
                clients.stream().filter(client -> client.completions() == 0).count());
        cell.count("in flight at end", inFlight.getTotalCount());
        cell.count("failed", clients.stream().mapToLong(Client::failures).sum());
        cell.measure("cpu per op", cpuNanos / 1e3 / total, "us");
    }

    private static void percentiles(CellRun cell, String prefix, Histogram times) {
        for (double percent : new double[] {50, 99, 99.9}) {
            String name = percent == 99.9 ? "p99.9" : "p" + (int) percent;
            cell.millis(prefix + name, times.getValueAtPercentile(percent));
        }
        cell.millis(prefix + "max", times.getMaxValue());
    }

    private static AtomicHistogram[] stripes() {
        AtomicHistogram[] stripes = new AtomicHistogram[STRIPES];
        for (int i = 0; i < STRIPES; i++) {
            stripes[i] = new AtomicHistogram(HIGHEST_NANOS, 3);
        }
        return stripes;
    }

    private static Histogram sum(AtomicHistogram[] stripes) {
        Histogram sum = new Histogram(HIGHEST_NANOS, 3);
        for (AtomicHistogram stripe : stripes) {
            sum.add(stripe);
        }
        return sum;
    }

    /**
     * Ends the load: each thread is served once more and goes. Interrupted are only those who are not served in time: some
     * pools lose their way when hundreds of waiters are interrupted at once, and that is not what is measured here.
     */
    private static void stop(Phase phase, List<Thread> threads) throws InterruptedException {
        phase.end();
        if (join(threads) > 0) {
            threads.forEach(Thread::interrupt);
            join(threads);
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

package dev.weir.internal.engine;

import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.Charset;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.logging.Level;
import java.util.logging.Logger;
import kotlin.Unit;
import org.pastalab.fray.core.TestRunner;
import org.pastalab.fray.core.command.Configuration;
import org.pastalab.fray.core.command.ExecutionInfo;
import org.pastalab.fray.core.command.LambdaExecutor;
import org.pastalab.fray.core.command.NetworkDelegateType;
import org.pastalab.fray.core.command.SystemTimeDelegateType;
import org.pastalab.fray.core.randomness.ControlledRandom;
import org.pastalab.fray.core.randomness.RandomnessProvider;
import org.pastalab.fray.core.scheduler.POSScheduler;

/**
 * Runs a scene of threads under Fray: one thread at a time, and at each access of a volatile field, each atomic object, lock,
 * park and unpark a seed decides which thread goes on. A park may end by itself. A deadlock is a failure, as is what any thread
 * throws.
 *
 * <p>Time is Fray's own: it stands nearly still while a thread can run, and jumps to the next end of a wait when none can.
 *
 * <p>Two limits: memory is sequentially consistent, which is what jcstress is for; and no thread comes between a read and the CAS
 * of a field updater that follows it, which is what Lincheck is for.
 */
final class Interleavings {
    static final String ITERATIONS = "weir.fray.iterations";

    private static final long SEED = Long.getLong("weir.fray.seed", 1);
    private static final Path REPORTS = Path.of(System.getProperty("weir.fray.reports", "target/fray/reports"));
    private static final long NANOS_A_LOOK_AT_THE_CLOCK = 10_000;

    /** Its lines would hide the report; it is kept here, or its level would be forgotten. */
    private static final Logger LOGGER = Logger.getLogger("dev.weir");

    private Interleavings() {}

    @FunctionalInterface
    interface Scene {
        void play() throws Exception;
    }

    /** Plays the scene once for each seed, until one fails. */
    static void explore(String name, Scene scene) {
        explore(name, 1, scene);
    }

    /** For a scene of few steps, so many times as many seeds. */
    static void explore(String name, int times, Scene scene) {
        LOGGER.setLevel(Level.OFF);
        PrintStream out = System.out;
        System.setOut(
                new PrintStream(OutputStream.nullOutputStream(), false, Charset.defaultCharset())); // of the progress
        try {
            run(name, scene, 0, 1); // loads the classes, so that each seed finds the same JVM
            run(name, scene, SEED, times * Integer.getInteger(ITERATIONS, 1));
        } finally {
            System.setOut(out);
        }
    }

    /** Each of these on a thread of its own; returns when all have ended. */
    static void together(Scene... acts) throws InterruptedException {
        List<Thread> threads =
                Arrays.stream(acts).map(act -> new Thread(() -> play(act))).toList();
        threads.forEach(Thread::start);
        for (Thread thread : threads) {
            thread.join();
        }
    }

    private static void play(Scene scene) {
        try {
            scene.play();
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    private static void run(String name, Scene scene, long firstSeed, int iterations) {
        Seeds seeds = new Seeds(firstSeed);
        Throwable failure = new TestRunner(configuration(name, scene, seeds, iterations)).run();
        if (failure != null) {
            throw new AssertionError(
                    name + ": seed " + (seeds.next - 1) + " fails, of those from " + firstSeed
                            + " on; the same command meets it again, see "
                            + REPORTS.resolve(name).resolve("fray.log"),
                    failure);
        }
    }

    private static Configuration configuration(String name, Scene scene, Seeds seeds, int iterations) {
        LambdaExecutor executor = new LambdaExecutor(() -> {
            play(scene);
            return Unit.INSTANCE;
        });
        return new Configuration(
                new ExecutionInfo(executor, false, false, -1),
                REPORTS.resolve(name),
                iterations,
                Integer.MAX_VALUE / 1000, // seconds: the number of seeds is the limit
                new POSScheduler(seeds.getRandomness()),
                seeds,
                false, // the full schedule
                false, // on after a failure
                true, // no exit of the JVM at a failure
                false, // replay
                false, // without Fray
                false, // a dry run first
                NetworkDelegateType.NONE,
                SystemTimeDelegateType.MOCK,
                NANOS_A_LOOK_AT_THE_CLOCK,
                false, // waits do not end early
                false, // sleep is not a yield
                false, // no class loader of its own for each seed
                false, // redirected output
                false, // threads that live on are not stopped
                false,
                null);
    }

    /** One after the other. */
    private static final class Seeds implements RandomnessProvider {
        long next;

        Seeds(long first) {
            next = first;
        }

        @Override
        public ControlledRandom getRandomness() {
            return new ControlledRandom(new ArrayList<>(), new ArrayList<>(), new Random(next++));
        }
    }
}

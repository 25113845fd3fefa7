package dev.weir.internal.engine;

import java.io.OutputStream;
import java.io.PrintStream;
import java.lang.instrument.ClassFileTransformer;
import java.nio.charset.Charset;
import java.nio.file.Path;
import java.security.ProtectionDomain;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.Function;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.regex.Pattern;
import kotlin.Unit;
import net.bytebuddy.agent.Installer;
import org.jspecify.annotations.Nullable;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;
import org.pastalab.fray.core.TestRunner;
import org.pastalab.fray.core.command.Configuration;
import org.pastalab.fray.core.command.ExecutionInfo;
import org.pastalab.fray.core.command.LambdaExecutor;
import org.pastalab.fray.core.command.NetworkDelegateType;
import org.pastalab.fray.core.command.SystemTimeDelegateType;
import org.pastalab.fray.core.randomness.ControlledRandom;
import org.pastalab.fray.core.randomness.Randomness;
import org.pastalab.fray.core.randomness.RandomnessProvider;
import org.pastalab.fray.core.scheduler.PCTScheduler;
import org.pastalab.fray.core.scheduler.POSScheduler;
import org.pastalab.fray.core.scheduler.Scheduler;

/**
 * Runs a scene of threads under Fray: one thread at a time, and at each access of a volatile field, each atomic object, lock,
 * park and unpark a seed decides which thread goes on. A park may end by itself. A deadlock is a failure, as is what any thread
 * throws.
 *
 * <p>Time is Fray's own: it stands nearly still while a thread can run, and jumps to the next end of a wait when none can.
 *
 * <p>Memory is sequentially consistent here: jcstress is for what is not.
 *
 * <p>The same command meets the same schedules. One test alone may not, since hash codes decide how the JDK's own maps are walked.
 */
final class Interleavings {
    static final String ITERATIONS = "weir.fray.iterations";

    private static final long SEED = Long.getLong("weir.fray.seed", 1);
    private static final Path REPORTS = Path.of(System.getProperty("weir.fray.reports", "target/fray/reports"));
    private static final long NANOS_A_LOOK_AT_THE_CLOCK = 10_000;

    /** Its lines would hide the report; it is kept here, or its level would be forgotten. */
    private static final Logger LOGGER = Logger.getLogger("dev.weir");

    static {
        Installer.getInstrumentation().addTransformer(new BeforeUpdaters());
    }

    private Interleavings() {}

    @FunctionalInterface
    interface Scene {
        void play() throws Exception;
    }

    /** Plays the scene under each seed of both of Fray's schedulers, until one fails: each finds faults that the other rarely meets. */
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
            run(name, scene, 0, 1, POSScheduler::new); // loads the classes, so that each seed finds the same JVM
            int iterations = times * Integer.getInteger(ITERATIONS, 1);
            run(name, scene, SEED, iterations, POSScheduler::new);
            run(name, scene, SEED, iterations, PCTScheduler::new);
        } finally {
            System.setOut(out);
        }
    }

    /** All of these at once, the first by the caller; returns when all have ended. */
    static void together(Scene first, Scene... others) throws InterruptedException {
        List<Thread> threads = Arrays.stream(others)
                .map(scene -> new Thread(() -> play(scene)))
                .toList();
        threads.forEach(Thread::start);
        play(first);
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

    private static void run(
            String name, Scene scene, long firstSeed, int iterations, Function<Randomness, Scheduler> scheduler) {
        Seeds seeds = new Seeds(firstSeed);
        Throwable failure = new TestRunner(
                        configuration(name, scene, seeds, iterations, scheduler.apply(seeds.getRandomness())))
                .run();
        if (failure != null) {
            throw new AssertionError(
                    name + ", "
                            + scheduler.apply(new ControlledRandom()).getClass().getSimpleName() + ": seed "
                            + (seeds.next - 1) + " fails, of those from " + firstSeed
                            + " on; the same command meets it again, see "
                            + REPORTS.resolve(name).resolve("fray.log"),
                    failure);
        }
    }

    private static Configuration configuration(
            String name, Scene scene, Seeds seeds, int iterations, Scheduler scheduler) {
        LambdaExecutor executor = new LambdaExecutor(() -> {
            play(scene);
            return Unit.INSTANCE;
        });
        return new Configuration(
                new ExecutionInfo(executor, false, false, -1),
                REPORTS.resolve(name),
                iterations,
                Integer.MAX_VALUE / 1000, // seconds: the number of seeds is the limit
                scheduler,
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

    /** Lets another thread come before each call of a field updater too: Fray knows those of a VarHandle alone. */
    private static final class BeforeUpdaters implements ClassFileTransformer {
        private static final Pattern UPDATER = Pattern.compile("java/util/concurrent/atomic/Atomic\\w+FieldUpdater");

        @Override
        public byte @Nullable [] transform(
                @Nullable ClassLoader loader,
                String className,
                @Nullable Class<?> redefined,
                @Nullable ProtectionDomain domain,
                byte[] classFile) {
            if (!className.startsWith("dev/weir/internal/")) {
                return null;
            }
            ClassReader reader = new ClassReader(classFile);
            ClassWriter writer = new ClassWriter(reader, 0);
            reader.accept(
                    new ClassVisitor(Opcodes.ASM9, writer) {
                        @Override
                        public MethodVisitor visitMethod(
                                int access,
                                String name,
                                String descriptor,
                                @Nullable String signature,
                                String @Nullable [] thrown) {
                            MethodVisitor method = super.visitMethod(access, name, descriptor, signature, thrown);
                            return new MethodVisitor(Opcodes.ASM9, method) {
                                @Override
                                public void visitMethodInsn(
                                        int opcode, String owner, String called, String type, boolean ofInterface) {
                                    if (opcode == Opcodes.INVOKEVIRTUAL
                                            && UPDATER.matcher(owner).matches()) {
                                        super.visitMethodInsn(
                                                Opcodes.INVOKESTATIC,
                                                "org/pastalab/fray/runtime/Runtime",
                                                "onYield",
                                                "()V",
                                                false);
                                    }
                                    super.visitMethodInsn(opcode, owner, called, type, ofInterface);
                                }
                            };
                        }
                    },
                    0);
            return writer.toByteArray();
        }
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

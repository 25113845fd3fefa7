package dev.weir.cli.explain;

import dev.weir.cli.explain.Story.Count;
import dev.weir.cli.explain.Story.Jvm;
import dev.weir.cli.explain.Story.Kind;
import dev.weir.cli.explain.Story.Load;
import dev.weir.cli.explain.Story.Loan;
import dev.weir.cli.explain.Story.Mark;
import dev.weir.cli.explain.Story.Measured;
import dev.weir.cli.explain.Story.Pause;
import dev.weir.cli.explain.Story.Place;
import dev.weir.cli.explain.Story.Read;
import dev.weir.cli.explain.Story.Shares;
import dev.weir.cli.explain.Story.Wait;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import jdk.jfr.consumer.RecordedClass;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedFrame;
import jdk.jfr.consumer.RecordedStackTrace;
import jdk.jfr.consumer.RecordedThread;
import jdk.jfr.consumer.RecordingFile;
import org.jspecify.annotations.Nullable;

/**
 * A flight recording, read: the story of each pool in it.
 *
 * @param from when the first event in it began
 * @param stories by the names of the pools
 * @param events how many events of Weir it has
 */
record Recording(Instant from, Duration length, List<Story> stories, long events) {
    private static final String OURS = "dev.weir.";

    /** Code that is nobody's place: the pool, the JDK, and what stands between a user's code and them. */
    private static final List<String> NOT_THE_USERS = List.of(
            "java.",
            "javax.",
            "jdk.",
            "sun.",
            "com.sun.",
            "jakarta.",
            "org.springframework.",
            "org.hibernate.",
            "org.jdbi.",
            "org.jooq.",
            "org.apache.",
            "io.micrometer.",
            "kotlin.",
            "scala.",
            "io.netty.",
            "org.eclipse.jetty.",
            "io.undertow.");

    private static final List<String> LEFT_OUT =
            List.of("dev.weir.internal.", "dev.weir.WeirDataSource.", "java.", "javax.", "jdk.", "sun.", "com.sun.");

    private static final long SLOW_READ_NANOS = 20_000_000;

    /**
     * Reads a file.
     *
     * @throws IOException if it is none, or no flight recording; its message says so in plain words
     */
    static Recording of(Path file) throws IOException {
        if (!Files.isReadable(file) || Files.isDirectory(file)) {
            throw new IOException(file + ": " + (Files.exists(file) ? "not a file that can be read" : "no such file"));
        }
        try (RecordingFile events = new RecordingFile(file)) {
            Reader reader = new Reader();
            while (events.hasMoreEvents()) {
                reader.read(events.readEvent());
            }
            return reader.recording();
        } catch (IOException | RuntimeException e) { // some damages are met as an index that is out of bounds
            throw new IOException(file + ": not a flight recording, or a damaged one (" + e.getMessage() + ")", e);
        }
    }

    /** The events of one pool, as they come: their times are not in order. */
    private static final class Pool {
        final List<Count> counts = new ArrayList<>();
        final List<Loan> loans = new ArrayList<>();
        final Map<Long, Loan> held = new HashMap<>();
        final List<Wait> waits = new ArrayList<>();
        final List<Mark> marks = new ArrayList<>();
        final List<Measured> measured = new ArrayList<>();
    }

    /** Times are of the epoch here, until the first is known. */
    private static final class Reader {
        private final Map<String, Pool> pools = new TreeMap<>();
        private final Map<String, Place> places = new HashMap<>();
        private final Jvm jvm = new Jvm(new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
        private long first = Long.MAX_VALUE;
        private long last = Long.MIN_VALUE;
        private long seen;

        void read(RecordedEvent event) {
            String name = event.getEventType().getName();
            long at = nanos(event.getStartTime());
            long took = event.getDuration().toNanos();
            if (name.startsWith(OURS) && event.hasField("pool")) {
                seen++;
                first = Math.min(first, at);
                last = Math.max(last, at + took);
                Pool pool = pools.computeIfAbsent(String.valueOf(event.getString("pool")), key -> new Pool());
                ours(pool, name.substring(OURS.length()), event, at, took);
                return;
            }
            switch (name) {
                case "jdk.GarbageCollection" ->
                    jvm.pauses()
                            .add(new Pause(
                                    at,
                                    event.getDuration("sumOfPauses").toNanos(),
                                    "garbage collection (" + event.getString("name") + ")"));
                case "jdk.ExecuteVMOperation" -> {
                    if (event.getBoolean("safepoint") && took >= SLOW_READ_NANOS) {
                        jvm.pauses().add(new Pause(at, took, "safepoint (" + event.getString("operation") + ")"));
                    }
                }
                case "jdk.CPULoad" ->
                    jvm.loads()
                            .add(new Load(
                                    at,
                                    event.getFloat("jvmUser") + event.getFloat("jvmSystem"),
                                    event.getFloat("machineTotal")));
                case "jdk.SocketRead" -> {
                    if (took >= SLOW_READ_NANOS) {
                        jvm.slowReads().add(new Read(at, took, event.getString("host") + ":" + event.getInt("port")));
                    }
                }
                default -> {}
            }
        }

        private void ours(Pool pool, String name, RecordedEvent event, long at, long took) {
            switch (name) {
                case "ConnectionsCounted" ->
                    pool.counts.add(new Count(
                            at,
                            event.getInt("inUse"),
                            event.getInt("idle"),
                            event.getInt("waiting"),
                            event.getInt("opening"),
                            event.getInt("maximum")));
                case "Loan" ->
                    pool.loans.add(new Loan(
                            at,
                            took,
                            event.getLong("connectionId"),
                            event.getDuration("waited").toNanos(),
                            shares(event),
                            true,
                            thread(event),
                            event.getString("sql"),
                            place(event)));
                case "LoanHeld" -> {
                    long held = event.getDuration("held").toNanos();
                    pool.held.put(
                            event.getLong("connectionId"),
                            new Loan(
                                    at - held,
                                    held,
                                    event.getLong("connectionId"),
                                    0,
                                    Shares.NONE,
                                    false,
                                    event.getString("holder"),
                                    event.getString("sql"),
                                    place(event.getString("acquiredAt"))));
                }
                case "AcquireWaited" ->
                    pool.waits.add(new Wait(
                            at, event.getDuration("waited").toNanos(), thread(event), place(event), null, false));
                case "AcquireTimedOut" ->
                    pool.waits.add(new Wait(
                            at,
                            event.getDuration("waited").toNanos(),
                            thread(event),
                            place(event),
                            event.getInt("inUse") + " in use, " + event.getInt("idle") + " idle, "
                                    + event.getInt("waiting") + " waiting, " + event.getInt("opening") + " opening, "
                                    + event.getInt("closing") + " closing",
                            false));
                case "LoansMeasured" -> pool.measured.add(new Measured(at, event.getLong("loans"), shares(event)));
                case "ConnectionOpened" ->
                    pool.marks.add(new Mark(
                            at,
                            Kind.OPENED,
                            event.getLong("connectionId"),
                            event.getDuration("took").toNanos(),
                            ""));
                case "ConnectionOpenFailed" ->
                    pool.marks.add(new Mark(
                            at,
                            Kind.OPEN_FAILED,
                            0,
                            event.getDuration("took").toNanos(),
                            text(event, "sqlState", "no SQLState") + ": " + text(event, "message", "")));
                case "ConnectionRetired" ->
                    pool.marks.add(new Mark(
                            at,
                            Kind.RETIRED,
                            event.getLong("connectionId"),
                            event.getDuration("age").toNanos(),
                            text(event, "reason", "")));
                case "ConnectionLeaked" -> leaked(pool, event, at);
                case "ConnectionPinned" ->
                    pool.marks.add(new Mark(
                            at, Kind.PINNED, 0, 0, text(event, "reason", "") + " " + text(event, "place", "")));
                default -> {} // of a later version
            }
        }

        private void leaked(Pool pool, RecordedEvent event, long at) {
            long held = event.getDuration("held").toNanos();
            long connection = event.getLong("connectionId");
            Place place = place(event.getString("acquiredAt"));
            String holder = event.getString("holder");
            pool.marks.add(new Mark(
                    at,
                    Kind.LEAKED,
                    connection,
                    held,
                    "held by " + (holder == null ? "an unknown thread" : holder) + ", acquired at " + place.inWords()));
            pool.held.put(
                    connection, new Loan(at - held, held, connection, 0, Shares.NONE, false, holder, null, place));
        }

        Recording recording() {
            long from = seen == 0 ? 0 : first;
            long length = seen == 0 ? 0 : Math.max(1, last - first);
            List<Pause> pauses = jvm.pauses().stream()
                    .map(pause -> new Pause(pause.at() - from, pause.nanos(), pause.what()))
                    .filter(pause -> pause.at() <= length)
                    .sorted(Comparator.comparing(Pause::at))
                    .toList();
            Jvm then = new Jvm(
                    pauses,
                    jvm.loads().stream()
                            .map(one -> new Load(one.at() - from, one.jvm(), one.machine()))
                            .toList(),
                    jvm.slowReads().stream()
                            .map(one -> new Read(one.at() - from, one.nanos(), one.address()))
                            .toList());
            List<Story> stories = new ArrayList<>();
            pools.forEach((name, pool) -> stories.add(story(name, pool, from, length, then)));
            return new Recording(Instant.ofEpochSecond(0, from), Duration.ofNanos(length), List.copyOf(stories), seen);
        }

        private static Story story(String name, Pool pool, long from, long length, Jvm jvm) {
            List<Loan> loans = new ArrayList<>();
            pool.loans.forEach(one -> loans.add(moved(one, from, one.nanos())));
            Map<Long, Loan> lastOf = new HashMap<>();
            loans.forEach(one -> lastOf.merge(one.connection(), one, (a, b) -> a.end() > b.end() ? a : b));
            for (Loan one : pool.held.values()) {
                Loan held = moved(one, from, one.nanos());
                Loan ended = lastOf.get(held.connection());
                boolean over = (ended != null && ended.end() >= held.end())
                        || pool.marks.stream()
                                .anyMatch(mark -> mark.kind() == Kind.RETIRED
                                        && mark.connection() == held.connection()
                                        && mark.at() >= one.end());
                if (!over) {
                    loans.add(moved(one, from, from + length - one.at()));
                }
            }
            loans.sort(Comparator.comparing(Loan::at));
            Map<String, List<Loan>> byThread = new HashMap<>();
            loans.forEach(loan -> {
                if (loan.thread() != null) {
                    byThread.computeIfAbsent(loan.thread(), key -> new ArrayList<>())
                            .add(loan);
                }
            });
            List<Wait> waits = new ArrayList<>();
            for (Wait wait : pool.waits) {
                long at = wait.at() - from;
                boolean holds = byThread.getOrDefault(String.valueOf(wait.thread()), List.of()).stream()
                        .anyMatch(loan -> loan.at() < at - wait.nanos() && loan.end() > at);
                waits.add(new Wait(at, wait.nanos(), wait.thread(), wait.place(), wait.refused(), holds));
            }
            return new Story(
                    name,
                    length,
                    pool.counts.stream()
                            .map(one -> new Count(
                                    one.at() - from,
                                    one.inUse(),
                                    one.idle(),
                                    one.waiting(),
                                    one.opening(),
                                    one.maximum()))
                            .sorted(Comparator.comparing(Count::at))
                            .toList(),
                    List.copyOf(loans),
                    waits.stream().sorted(Comparator.comparing(Wait::at)).toList(),
                    pool.marks.stream()
                            .map(one -> new Mark(
                                    one.at() - from, one.kind(), one.connection(), one.tookNanos(), one.text()))
                            .sorted(Comparator.comparing(Mark::at))
                            .toList(),
                    pool.measured.stream()
                            .map(one -> new Measured(one.at() - from, one.loans(), one.shares()))
                            .sorted(Comparator.comparing(Measured::at))
                            .toList(),
                    jvm);
        }

        private static Loan moved(Loan loan, long from, long nanos) {
            return new Loan(
                    loan.at() - from,
                    nanos,
                    loan.connection(),
                    loan.waitedNanos(),
                    loan.shares(),
                    loan.ended(),
                    loan.thread(),
                    loan.sql(),
                    loan.place());
        }

        private static Shares shares(RecordedEvent event) {
            return new Shares(
                    event.getDuration("beforeFirstStatement").toNanos(),
                    event.getDuration("inDriver").toNanos(),
                    event.getDuration("betweenTransactions").toNanos(),
                    event.getDuration("idleInTransaction").toNanos());
        }

        private static long nanos(Instant time) {
            return time.getEpochSecond() * 1_000_000_000 + time.getNano();
        }

        private static String text(RecordedEvent event, String field, String otherwise) {
            return Objects.requireNonNullElse(event.getString(field), otherwise);
        }

        private static @Nullable String thread(RecordedEvent event) {
            RecordedThread thread = event.getThread();
            String name = thread == null ? null : thread.getJavaName();
            return thread == null ? null : name == null || name.isEmpty() ? "thread " + thread.getJavaThreadId() : name;
        }

        private Place place(RecordedEvent event) {
            RecordedStackTrace stack = event.getStackTrace();
            List<String> frames = new ArrayList<>();
            for (RecordedFrame frame : stack == null ? List.<RecordedFrame>of() : stack.getFrames()) {
                RecordedClass type = frame.isJavaFrame() ? frame.getMethod().getType() : null;
                if (type != null) {
                    frames.add(type.getName() + "." + frame.getMethod().getName());
                }
            }
            return placeOf(frames);
        }

        /** Of a stack as a text, a line for each frame. */
        private Place place(@Nullable String stack) {
            return placeOf(
                    stack == null
                            ? List.of()
                            : stack.lines()
                                    .map(line -> line.strip()
                                            .replaceFirst("^at ", "")
                                            .replaceFirst("\\(.*", ""))
                                    .map(line -> line.substring(line.lastIndexOf('/') + 1))
                                    .toList());
        }

        /** Of a stack whose innermost frame comes first. Frames that are not the user's are kept only if all are so. */
        private Place placeOf(List<String> stack) {
            List<String> frames = stack.stream()
                    .filter(frame -> !frame.contains("$$") && !frame.contains("$Proxy") && !frame.contains("/0x"))
                    .filter(frame -> LEFT_OUT.stream().noneMatch(frame::startsWith))
                    .toList();
            List<String> users = frames.stream()
                    .filter(frame -> NOT_THE_USERS.stream().noneMatch(frame::startsWith))
                    .toList();
            List<String> outermostFirst = new ArrayList<>();
            (users.isEmpty() ? frames : users).forEach(frame -> outermostFirst.add(0, shortened(frame)));
            return places.computeIfAbsent(String.join("\n", outermostFirst), key -> new Place(outermostFirst));
        }

        /** {@code shop.orders.OrderView.render} as {@code OrderView.render}. */
        private static String shortened(String frame) {
            int type = frame.lastIndexOf('.', frame.lastIndexOf('.') - 1);
            return frame.substring(type + 1)
                    .replaceFirst("\\.lambda\\$([^$]+)\\$\\d+$", ".$1")
                    .replace('$', '.');
        }
    }
}

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
import dev.weir.internal.shared.UserFrames;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
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
 * @param stories the worst first, else by the names of the pools
 * @param events how many events of Weir it has
 */
record Recording(Instant from, Duration length, List<Story> stories, long events) {
    private static final String OURS = "dev.weir.";

    /** As {@code at app//shop.OrderView.render(OrderView.java:12)}. */
    private static final Pattern FRAME = Pattern.compile(
            "(?m)^\\s*(?:at )?(?:[^\\s(]*/(?!0x))?([^\\s(]+)\\.([^\\s(.]+)(?:\\([^:)\\n]*(?::(\\d+))?)?");

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
        try {
            Span span = new Span();
            each(file, span::add);
            Reader reader = new Reader(span);
            each(file, reader::read);
            return new Recording(
                    Instant.ofEpochSecond(0, span.from),
                    Duration.ofNanos(span.length()),
                    Findings.worstFirst(reader.stories()),
                    span.events);
        } catch (IOException | RuntimeException e) { // some damages are met as an index that is out of bounds
            throw new IOException(file + ": not a flight recording, or a damaged one (" + e.getMessage() + ")", e);
        }
    }

    private static void each(Path file, Consumer<RecordedEvent> reader) throws IOException {
        try (RecordingFile events = new RecordingFile(file)) {
            while (events.hasMoreEvents()) {
                reader.accept(events.readEvent());
            }
        }
    }

    private static boolean isOurs(RecordedEvent event) {
        return event.getEventType().getName().startsWith(OURS) && event.hasField("pool");
    }

    private static long nanos(Instant time) {
        return time.getEpochSecond() * 1_000_000_000 + time.getNano();
    }

    /** From the first event of Weir to the last: they are not in order. */
    private static final class Span {
        long from = Long.MAX_VALUE;
        private long to;
        long events;

        void add(RecordedEvent event) {
            if (isOurs(event)) {
                events++;
                from = Math.min(from, nanos(event.getStartTime()));
                to = Math.max(to, nanos(event.getEndTime()));
            }
        }

        long length() {
            return Math.max(1, to - from);
        }
    }

    /** The events of one pool, as they come. */
    private static final class Pool {
        final List<Count> counts = new ArrayList<>();
        final List<Loan> loans = new ArrayList<>();
        final Map<Long, Loan> held = new HashMap<>();
        final List<Wait> waits = new ArrayList<>();
        final List<Mark> marks = new ArrayList<>();
        final List<Measured> measured = new ArrayList<>();
    }

    private static final class Reader {
        private final Map<String, Pool> pools = new TreeMap<>();
        private final Map<List<StackTraceElement>, Place> places = new HashMap<>();
        private final Jvm jvm = new Jvm(new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
        private final Map<String, Long> threads = new HashMap<>();
        private final Set<String> namesakes = new HashSet<>();
        private final Span span;

        Reader(Span span) {
            this.span = span;
        }

        void read(RecordedEvent event) {
            String name = event.getEventType().getName();
            long at = nanos(event.getStartTime()) - span.from;
            long took = event.getDuration().toNanos();
            if (isOurs(event)) {
                Pool pool = pools.computeIfAbsent(String.valueOf(event.getString("pool")), key -> new Pool());
                ours(pool, name.substring(OURS.length()), event, at, took);
                return;
            }
            switch (name) {
                case "jdk.GarbageCollection" ->
                    jvm.pauses()
                            .add(new Pause(
                                    at,
                                    time(event, "sumOfPauses"),
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
                        jvm.slowReads()
                                .add(new Read(
                                        at, took, thread(event), event.getString("host") + ":" + event.getInt("port")));
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
                            event.getLong("sessionId"),
                            time(event, "waited"),
                            shares(event),
                            true,
                            thread(event),
                            event.getString("sql"),
                            acquiredAt(event)));
                case "LoanHeld" -> held(pool, event, at, event.getString("sql"));
                case "AcquireWaited" ->
                    pool.waits.add(new Wait(at, time(event, "waited"), thread(event), place(event), null, false));
                case "AcquireTimedOut" ->
                    pool.waits.add(new Wait(
                            at,
                            time(event, "waited"),
                            thread(event),
                            place(event),
                            event.getInt("inUse") + " in use, " + event.getInt("idle") + " idle, "
                                    + event.getInt("waiting") + " waiting, " + event.getInt("opening") + " opening, "
                                    + event.getInt("closing") + " closing",
                            false));
                case "LoansMeasured" -> pool.measured.add(new Measured(at, event.getLong("loans"), shares(event)));
                case "ConnectionOpened" ->
                    pool.marks.add(new Mark(at, Kind.OPENED, event.getLong("connectionId"), time(event, "took"), ""));
                case "ConnectionOpenFailed" ->
                    pool.marks.add(new Mark(
                            at,
                            Kind.OPEN_FAILED,
                            0,
                            time(event, "took"),
                            text(event, "sqlState", "no SQLState") + ": " + text(event, "message", "")));
                case "ConnectionRetired" ->
                    pool.marks.add(new Mark(
                            at,
                            Kind.RETIRED,
                            event.getLong("connectionId"),
                            time(event, "age"),
                            text(event, "reason", "")));
                case "ConnectionLeaked" -> leaked(pool, event, at);
                case "ConnectionPinned" ->
                    pool.marks.add(new Mark(
                            at, Kind.PINNED, 0, 0, text(event, "reason", "") + " " + text(event, "place", "")));
                default -> {} // of a later version
            }
        }

        private void leaked(Pool pool, RecordedEvent event, long at) {
            String text = "held by " + text(event, "holder", "an unknown thread") + ", acquired at "
                    + place(event.getString("acquiredAt")).inWords();
            pool.marks.add(new Mark(at, Kind.LEAKED, event.getLong("connectionId"), time(event, "held"), text));
            held(pool, event, at, null);
        }

        /** What is told last of a connection counts. */
        private void held(Pool pool, RecordedEvent event, long at, @Nullable String sql) {
            long nanos = time(event, "held");
            long connection = event.getLong("connectionId");
            Place place = place(event.getString("acquiredAt"));
            Loan loan = new Loan(
                    at - nanos,
                    nanos,
                    connection,
                    event.getLong("sessionId"),
                    0,
                    Shares.NONE,
                    false,
                    event.getString("holder"),
                    sql,
                    place);
            pool.held.merge(connection, loan, (a, b) -> a.end() > b.end() ? a : b);
        }

        List<Story> stories() {
            List<Story> stories = new ArrayList<>();
            pools.forEach((name, pool) -> {
                addHeld(pool);
                stories.add(new Story(
                        name,
                        span.length(),
                        inOrder(pool.counts, Count::at),
                        inOrder(pool.loans, Loan::at),
                        inOrder(withHolders(pool), Wait::at),
                        inOrder(pool.marks, Mark::at),
                        inOrder(pool.measured, Measured::at),
                        jvm));
            });
            return List.copyOf(stories);
        }

        private static <T> List<T> inOrder(List<T> all, Function<T, Long> at) {
            return all.stream().sorted(Comparator.comparing(at)).toList();
        }

        /** Those that were out when they were told of, and have not ended since, are out until the end. */
        private void addHeld(Pool pool) {
            for (Loan told : pool.held.values()) {
                boolean over = Stream.concat(
                                pool.loans.stream()
                                        .filter(loan -> loan.connection() == told.connection())
                                        .map(Loan::end),
                                pool.marks.stream()
                                        .filter(mark ->
                                                mark.kind() == Kind.RETIRED && mark.connection() == told.connection())
                                        .map(Mark::at))
                        .anyMatch(at -> at >= told.end());
                if (!over) {
                    pool.loans.add(told.until(span.length()));
                }
            }
        }

        /** Threads are known by their names, where one alone has it. */
        private List<Wait> withHolders(Pool pool) {
            Map<String, List<Loan>> byThread = pool.loans.stream()
                    .collect(Collectors.groupingBy(loan -> Objects.requireNonNullElse(loan.thread(), "")));
            byThread.keySet().removeAll(namesakes);
            return pool.waits.stream()
                    .map(wait -> wait.holding(byThread.getOrDefault(wait.thread(), List.of()).stream()
                            .anyMatch(loan -> loan.at() < wait.at() - wait.nanos()
                                    && loan.end() > wait.at()
                                    && !isLeftBehind(loan, wait.place()))))
                    .toList();
        }

        private static Shares shares(RecordedEvent event) {
            return new Shares(
                    time(event, "beforeFirstStatement"),
                    time(event, "inDriver"),
                    time(event, "betweenTransactions"),
                    time(event, "idleInTransaction"));
        }

        private static long time(RecordedEvent event, String field) {
            return event.getDuration(field).toNanos();
        }

        /** As the loan noted it; a recording of an older version has no such field. */
        private Place acquiredAt(RecordedEvent loan) {
            String noted = loan.hasField("acquiredAt") ? loan.getString("acquiredAt") : null;
            return noted == null ? place(loan) : place(noted);
        }

        private static String text(RecordedEvent event, String field, String otherwise) {
            return Objects.requireNonNullElse(event.getString(field), otherwise);
        }

        private String thread(RecordedEvent event) {
            RecordedThread thread = event.getThread();
            String name = thread == null ? null : thread.getJavaName();
            if (thread == null || name == null || name.isEmpty()) {
                return thread == null ? "" : "#" + thread.getJavaThreadId(); // as the pool names it
            }
            if (threads.merge(name, thread.getJavaThreadId(), (a, b) -> a) != thread.getJavaThreadId()) {
                namesakes.add(name);
            }
            return name;
        }

        private Place place(RecordedEvent event) {
            RecordedStackTrace stack = event.getStackTrace();
            List<StackTraceElement> frames = new ArrayList<>();
            for (RecordedFrame frame : stack == null ? List.<RecordedFrame>of() : stack.getFrames()) {
                RecordedClass type = frame.isJavaFrame() ? frame.getMethod().getType() : null;
                if (type != null) {
                    frames.add(new StackTraceElement(
                            type.getName(), frame.getMethod().getName(), null, frame.getLineNumber()));
                }
            }
            return placeOf(frames);
        }

        /** Of a stack as a text, a line for each frame. */
        private Place place(@Nullable String stack) {
            Matcher frames = FRAME.matcher(Objects.requireNonNullElse(stack, ""));
            return placeOf(frames.results()
                    .map(frame -> new StackTraceElement(
                            frame.group(1),
                            frame.group(2),
                            null,
                            frame.group(3) == null ? -1 : Integer.parseInt(frame.group(3))))
                    .toList());
        }

        private Place placeOf(List<StackTraceElement> stack) {
            return places.computeIfAbsent(stack, Recording::placeIn);
        }
    }

    /** Whether a thread that waits here leaked it. One of an unknown place that did not come back is taken for leaked. */
    static boolean isLeftBehind(Loan loan, Place now) {
        List<StackTraceElement> place = loan.place().users();
        return !loan.ended() && (place.isEmpty() || UserFrames.hasLeft(place, now.users()));
    }

    /** Of a stack whose innermost frame comes first; each method in a row once. */
    static Place placeIn(List<StackTraceElement> stack) {
        List<StackTraceElement> users = UserFrames.usersOf(stack);
        List<String> outermostFirst = new ArrayList<>();
        String before = "";
        for (StackTraceElement frame :
                users.isEmpty() ? stack.stream().filter(UserFrames::isFramework).toList() : users) {
            String method = UserFrames.nameOf(frame);
            if (!method.equals(before)) {
                outermostFirst.add(0, method);
            }
            before = method;
        }
        return outermostFirst.isEmpty() ? Place.UNKNOWN : new Place(List.copyOf(outermostFirst), users);
    }
}

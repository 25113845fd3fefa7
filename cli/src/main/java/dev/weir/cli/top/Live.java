package dev.weir.cli.top;

import static dev.weir.cli.shared.Terminal.clean;

import dev.weir.cli.shared.Stop;
import dev.weir.console.window.JvmView;
import dev.weir.console.window.PoolReader;
import dev.weir.console.window.PoolView;
import dev.weir.console.window.Times;
import dev.weir.console.window.Watch;
import java.io.IOError;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jline.keymap.BindingReader;
import org.jline.keymap.KeyMap;
import org.jline.terminal.Attributes;
import org.jline.terminal.Size;
import org.jline.terminal.Terminal;
import org.jline.utils.AttributedString;
import org.jline.utils.AttributedStyle;
import org.jline.utils.Display;
import org.jline.utils.InfoCmp.Capability;
import org.jspecify.annotations.Nullable;

/**
 * The pools on a terminal, until a key ends it. One thread looks and acts, since a JVM may take long to answer; one reads keys; the
 * thread of {@link #run} takes what both bring from one queue, and alone touches the fields and the screen.
 */
final class Live {
    private static final String HELP = "q quit  s sort  Tab pool  d dump  t threads  e/E evict  p/r suspend  c change";

    private static final int SIGINT = 2;
    private static final Duration SILENCE = Duration.ofSeconds(3);

    /** An action on the JVM; what it gives back is said. */
    private interface Action {
        String run() throws IOException;
    }

    /** What a key means; while something is asked, the letters are the answer's. */
    private enum Key {
        LETTER,
        NEXT,
        UP,
        DOWN,
        BACK,
        ENTER,
        ERASE
    }

    private final Terminal terminal;
    private final PoolReader reader;
    private final Watch watch;
    private final @Nullable String only;
    private final Duration interval;
    private final Stop stop;
    private final Display display;
    private final LinkedBlockingQueue<Runnable> events = new LinkedBlockingQueue<>();
    private final ScheduledExecutorService looking = Executors.newSingleThreadScheduledExecutor(Live::daemon);

    // The thread of run().
    private @Nullable JvmView view;
    private @Nullable String shown;
    private Sort sort = Sort.AGE;
    private String message = "Looking ...";

    /** Why the last look failed; empty if it did not. And when one last succeeded. */
    private String unanswered = "";

    private long lookedNanos = System.nanoTime();

    /** What is read in place of the pool, from a line on; empty for none. */
    private List<String> page = List.of();

    private int pageFrom;

    /** What is asked in place of the message, and the answer so far; null if nothing is. */
    private String question = "";

    private @Nullable StringBuilder typed;

    private Consumer<String> answered = answer -> {};
    private boolean over;

    /** Why the JVM is no longer there; null while it is. */
    private @Nullable String gone;

    Live(Terminal terminal, PoolReader reader, Watch watch, @Nullable String only, Duration interval, Stop stop) {
        this.terminal = terminal;
        this.reader = reader;
        this.watch = watch;
        this.only = only;
        this.interval = interval;
        this.stop = stop;
        this.display = new Display(terminal, true);
    }

    /**
     * Shows them until a key or a signal ends it.
     *
     * @return the last look; null if there was none
     * @throws IOException if the JVM has ended
     */
    @Nullable
    JvmView run() throws IOException {
        Attributes before = terminal.enterRawMode();
        terminal.handle(Terminal.Signal.WINCH, signal -> events.add(display::clear));
        terminal.handle(Terminal.Signal.INT, signal -> stop.request(SIGINT)); // the terminal took it from Stop
        terminal.handle(Terminal.Signal.TSTP, Terminal.SignalHandler.SIG_IGN);
        stop.answerWith(() -> events.add(() -> over = true));
        try {
            terminal.puts(Capability.enter_ca_mode);
            terminal.puts(Capability.keypad_xmit);
            terminal.puts(Capability.cursor_invisible);
            daemon(this::readKeys).start();
            draw();
            Future<?> unused =
                    looking.scheduleWithFixedDelay(this::look, 0, interval.toMillis(), TimeUnit.MILLISECONDS);
            while (!over) {
                Runnable event = events.poll(1, TimeUnit.SECONDS);
                if (event != null) {
                    event.run();
                }
                if (events.isEmpty() && !over) {
                    draw();
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            looking.shutdownNow();
            terminal.puts(Capability.cursor_visible);
            terminal.puts(Capability.keypad_local);
            terminal.puts(Capability.exit_ca_mode);
            terminal.flush();
            terminal.setAttributes(before);
        }
        if (gone != null) {
            throw new IOException(gone);
        }
        return view;
    }

    private static Thread daemon(Runnable work) {
        Thread thread = new Thread(work, "weir-top");
        thread.setDaemon(true);
        return thread;
    }

    // ------------------------------------------------------------ the JVM's thread

    private void look() {
        try {
            JvmView now = watch.look(reader, only);
            events.add(() -> show(now));
        } catch (IOException | RuntimeException e) {
            events.add(() -> {
                over = reader.isGone();
                gone = over ? "the JVM has ended" : null;
                unanswered = ": " + e.getMessage();
            });
        }
    }

    /** The first pool to be seen is one in trouble, or the busiest. */
    private void show(JvmView now) {
        message = view == null ? HELP : message;
        unanswered = "";
        lookedNanos = System.nanoTime();
        view = now;
        if (shown == null) {
            shown = now.pools().stream()
                    .max(Comparator.comparing((PoolView pool) -> pool.troubles().size())
                            .thenComparing(pool -> pool.counts().waiting())
                            .thenComparing(pool -> pool.counts().inUse()))
                    .map(PoolView::name)
                    .orElse(null);
        }
    }

    private void act(Action action, Consumer<String> then) {
        message = "...";
        looking.execute(() -> {
            try {
                String result = action.run();
                events.add(() -> then.accept(result));
            } catch (IOException | RuntimeException e) {
                events.add(() -> message = "Refused: " + e.getMessage());
            }
            look();
        });
    }

    // ------------------------------------------------------------ keys

    private void readKeys() {
        KeyMap<Key> keys = new KeyMap<>();
        keys.setNomatch(Key.LETTER);
        keys.setUnicode(Key.LETTER);
        keys.bind(Key.NEXT, "\t");
        keys.bind(Key.ENTER, "\r", "\n");
        keys.bind(Key.ERASE, "\b", "\u007f");
        keys.bind(Key.BACK, KeyMap.esc());
        keys.bind(Key.UP, "\u001b[A", "\u001bOA");
        keys.bind(Key.DOWN, "\u001b[B", "\u001bOB");
        keys.setAmbiguousTimeout(100);
        BindingReader in = new BindingReader(terminal.reader());
        try {
            for (Key key = in.readBinding(keys); key != null; key = in.readBinding(keys)) {
                Key pressed = key;
                String letters = Objects.requireNonNullElse(in.getLastBinding(), "");
                events.add(() -> pressed(pressed, letters));
            }
        } catch (IOError e) {
            // the terminal was closed
        }
        events.add(() -> over = true);
    }

    private void pressed(Key key, String letters) {
        if (typed != null) {
            type(typed, key, letters);
        } else if (!page.isEmpty()) {
            read(key, letters);
        } else if (key == Key.NEXT) {
            next();
        } else if (letters.equals("q")) {
            over = true;
        } else if (letters.equals("s")) {
            sort = sort.next();
        } else {
            PoolView pool = shownPool();
            message = HELP;
            if (pool != null) {
                operate(pool, letters);
            }
        }
    }

    private void operate(PoolView pool, String letter) {
        String of = " '" + clean(pool.name()) + "'";
        switch (letter) {
            case "d" -> act(() -> reader.act(pool.name(), "dump"), this::open);
            case "t" -> open(threads(pool));
            case "e" -> confirm("Close the " + pool.counts().idle() + " idle connections of" + of, pool, "evictIdle");
            case "E" ->
                confirm(
                        "Close all " + pool.counts().total() + " connections (in use: once returned) of" + of,
                        pool,
                        "evictAll");
            case "p" -> confirm("Lend nothing until it is resumed, of" + of, pool, "suspend");
            case "r" -> confirm("Lend again, of" + of, pool, "resume");
            case "c" -> ask("Setting=value: ", answer -> change(pool, answer));
            default -> {
                // no key of ours
            }
        }
    }

    private void confirm(String what, PoolView pool, String operation) {
        confirm(what, operation, () -> reader.act(pool.name(), operation));
    }

    private void confirm(String what, String done, Action action) {
        ask(what + "? [y/N] ", answer -> {
            if (answer.matches("(?i)y|yes")) {
                act(action, result -> message = "Done: " + done);
            } else {
                message = "Nothing was done";
            }
        });
    }

    private void ask(String what, Consumer<String> then) {
        question = what;
        typed = new StringBuilder();
        answered = then;
    }

    private void type(StringBuilder answer, Key key, String letters) {
        switch (key) {
            case LETTER -> answer.append(letters.replaceAll("\\p{Cntrl}", ""));
            case ERASE -> answer.setLength(Math.max(0, answer.length() - 1));
            case ENTER, BACK -> {
                typed = null;
                message = HELP;
                if (key == Key.ENTER) {
                    answered.accept(answer.toString().strip());
                }
            }
            default -> {
                // an arrow
            }
        }
    }

    private void change(PoolView pool, String assignment) {
        String[] words = assignment.split("[=\\s]+", 2);
        Object now = pool.settings().get(words[0]);
        if (words.length < 2 || now == null) {
            open("'" + assignment + "' (expected: one of these settings and its new value, as maximumPoolSize=80)\n\n"
                    + pool.settings().entrySet().stream()
                            .map(entry -> entry.getKey() + "=" + entry.getValue()
                                    + (entry.getValue() instanceof Long ? " ms" : ""))
                            .collect(Collectors.joining("\n")));
            return;
        }
        try {
            Object value = PoolReader.value(words[0], now, words[1]);
            String unit = now instanceof Long ? " ms" : "";
            String what = words[0] + " from " + now + unit + " to " + value + unit;
            confirm("Change " + what + " in '" + clean(pool.name()) + "'", what, () -> {
                reader.change(pool.name(), words[0], value);
                return "";
            });
        } catch (IllegalArgumentException e) {
            message = String.valueOf(e.getMessage());
        }
    }

    private void next() {
        if (view != null && !view.pools().isEmpty()) {
            List<PoolView> pools = view.pools();
            shown = pools.get((pools.indexOf(shownPool()) + 1) % pools.size()).name();
        }
    }

    private @Nullable PoolView shownPool() {
        List<PoolView> pools = view == null ? List.of() : view.pools();
        return pools.stream()
                .filter(pool -> pool.name().equals(shown))
                .findFirst()
                .orElse(pools.isEmpty() ? null : pools.get(0));
    }

    // ------------------------------------------------------------ a text to read

    private static String threads(PoolView pool) {
        StringBuilder text = new StringBuilder();
        for (PoolView.Holder one : pool.holders()) {
            text.append(
                    "#" + one.connection() + " held for " + Times.text(one.heldFor()) + " by " + one.thread() + "\n");
            one.acquiredAt().forEach(frame -> text.append("    acquired at " + frame + "\n"));
            one.stack().forEach(frame -> text.append("    now at " + frame + "\n"));
        }
        for (PoolView.Waiter one : pool.waiters()) {
            text.append(one.thread() + " waits for " + Times.text(one.waited()) + "\n");
            one.stack().forEach(frame -> text.append("    at " + frame + "\n"));
        }
        for (PoolView.Failure one : pool.failures()) {
            text.append(
                    "connect failed " + Times.text(one.ago()) + " ago, " + one.kind() + ": " + one.message() + "\n");
        }
        return text.isEmpty() ? "No connection is in use, and no thread waits." : text.toString();
    }

    private void open(String text) {
        page = text.lines().map(line -> clean(line)).toList();
        pageFrom = 0;
        message = "Up, Down, Space: move   any other key: back";
    }

    private void read(Key key, String letters) {
        int step = letters.equals(" ") ? rows() - 2 : key == Key.UP || letters.equals("k") ? -1 : 1;
        if (letters.equals(" ") || key == Key.UP || key == Key.DOWN || letters.matches("[jk]")) {
            pageFrom = Math.max(0, Math.min(pageFrom + step, page.size() - 1));
        } else {
            page = List.of();
            message = HELP;
        }
    }

    // ------------------------------------------------------------ the screen

    private int rows() {
        return terminal.getHeight() > 1 ? terminal.getHeight() : 24;
    }

    private void draw() {
        int rows = rows();
        int columns = terminal.getWidth() > 0 ? terminal.getWidth() : 80;
        List<AttributedString> lines = new ArrayList<>();
        if (!page.isEmpty()) {
            for (String line : page.subList(pageFrom, Math.min(page.size(), pageFrom + rows - 1))) {
                lines.addAll(new AttributedString(line).columnSplitLength(columns - 1));
            }
        } else if (view != null) {
            boolean unicode = StandardCharsets.UTF_8.equals(terminal.outputEncoding());
            lines.addAll(Screen.of(view, shownPool(), sort, columns - 1, rows - 1, unicode));
        }
        while (lines.size() < rows - 1) {
            lines.add(AttributedString.EMPTY);
        }
        Duration silent = Duration.ofNanos(System.nanoTime() - lookedNanos);
        String said = silent.compareTo(interval.plus(SILENCE)) > 0
                ? "No answer for " + Times.text(silent.toMillis()) + unanswered + "   q quit"
                : message;
        String last = typed == null ? clean(said) : question + typed;
        List<AttributedString> all = new ArrayList<>(lines.subList(0, rows - 1));
        all.add(new AttributedString(last, typed == null ? AttributedStyle.DEFAULT.faint() : AttributedStyle.BOLD));
        all.replaceAll(line -> line.columnLength() < columns ? line : line.columnSubSequence(0, columns - 1));
        display.resize(rows, columns);
        display.update(
                all,
                new Size(columns, rows)
                        .cursorPos(rows - 1, Math.min(all.get(rows - 1).columnLength(), columns - 1)));
    }
}

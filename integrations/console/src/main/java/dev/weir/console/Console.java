package dev.weir.console;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.weir.console.window.JvmView;
import dev.weir.console.window.PoolReader;
import dev.weir.console.window.PoolView;
import dev.weir.console.window.Watch;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import javax.management.InstanceNotFoundException;
import org.jspecify.annotations.Nullable;

/**
 * The live page of a JVM's pools, and what it asks for, without a server: a servlet, a framework's endpoint or the command hands
 * the requests over, and is responsible for whom it lets in. Addresses in the page are relative. Thread-safe.
 */
public final class Console {
    private static final System.Logger LOG = System.getLogger("dev.weir.console");

    private static final JsonMapper MAPPER =
            JsonMapper.builder().enable(JsonWriteFeature.ESCAPE_NON_ASCII).build();

    private static final String CHARTS = "/META-INF/resources/webjars/uplot/1.6.30/dist/";

    private static final Map<String, String> HEADERS = Map.of(
            "Content-Security-Policy",
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self';"
                    + " base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
            "X-Content-Type-Options",
            "nosniff",
            "Referrer-Policy",
            "no-referrer",
            "Cross-Origin-Resource-Policy",
            "same-origin",
            "Cache-Control",
            "no-store");

    private static final Set<String> OPERATIONS = new TreeSet<>(Set.of("evictIdle", "evictAll", "suspend", "resume"));

    private static final List<String> STACKS = List.of("stack", "acquiredAt");

    /** So much of a look may be stacks, each list of each pool the same share: a browser reads it every second. */
    private static final int STACK_CHARS = 200_000;

    private static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long MEMORY_NANOS = TimeUnit.MINUTES.toNanos(1);
    private static final long PATIENCE_SECONDS = 5;

    /**
     * An answer to a request.
     *
     * @param status of HTTP
     * @param body not to be changed
     */
    @SuppressWarnings("ArrayRecordComponent") // nobody compares two answers
    public record Answer(int status, String contentType, byte[] body) {}

    private record Kept(long atNanos, Map<String, PoolView> pools, Answer answer) {
        boolean isWithin(long nanos) {
            return System.nanoTime() - atNanos < nanos;
        }
    }

    private final PoolReader reader;
    private final Watch watch;
    private final boolean writable;

    /** Held by whoever looks or acts: reader and watch are for one thread at a time. No call of a driver is made under it. */
    private final ReentrantLock jvm = new ReentrantLock();

    /** Guarded by {@link #jvm}. */
    private @Nullable Kept kept;

    /** Shows another JVM, as the command does. */
    public Console(PoolReader reader, Watch watch, boolean writable) {
        this.reader = reader;
        this.watch = watch;
        this.writable = writable;
    }

    /**
     * Shows the pools of this JVM.
     *
     * @param writable whether connections may be evicted, pools suspended and settings changed
     */
    public static Console ofThisJvm(boolean writable) {
        return new Console(
                PoolReader.ofThisJvm(),
                new Watch("pid " + ProcessHandle.current().pid()),
                writable);
    }

    /** Returns what each answer is to carry beside its type. */
    public static Map<String, String> headers() {
        return HEADERS;
    }

    /**
     * Answers a GET.
     *
     * @param name the last part of the address: empty for the page, page.js, page.css, uplot.js, uplot.css, look, dump
     * @param query {@code pool} of a dump; {@code base} of the page, where its own address does not end in a slash: its last part
     */
    public Answer get(String name, Map<String, String> query) {
        return switch (name) {
            case "" -> page(query.getOrDefault("base", ""));
            case "page.js" -> asset("page.js", "text/javascript");
            case "page.css" -> asset("page.css", "text/css");
            case "uplot.js" -> asset(CHARTS + "uPlot.iife.min.js", "text/javascript");
            case "uplot.css" -> asset(CHARTS + "uPlot.min.css", "text/css");
            case "look" -> alone(() -> look().answer());
            case "dump" -> dump(query.getOrDefault("pool", ""));
            default -> error(404, "nothing of this name");
        };
    }

    /**
     * Answers a POST.
     *
     * @param name the last part of the address: act or change
     * @param body what the request's JSON object has
     * @param who asks, as the log is to name them
     */
    public Answer post(String name, Map<String, String> body, String who) {
        if (!name.equals("act") && !name.equals("change")) {
            return error(404, "nothing of this name");
        }
        if (!writable) {
            return error(403, "this console is read-only");
        }
        String pool = body.getOrDefault("pool", "");
        String what = body.getOrDefault(name.equals("act") ? "operation" : "setting", "");
        return alone(() -> {
            PoolView shown = look().pools().get(pool);
            try {
                if (shown == null) {
                    return error(404, "no pool '" + pool + "'");
                }
                String done =
                        name.equals("act") ? act(pool, what) : change(shown, what, body.getOrDefault("value", ""));
                LOG.log(System.Logger.Level.INFO, clean(pool + ": " + done + ", by " + who));
                kept = null; // the next look shows it
                return answer(200, "application/json", "{}");
            } catch (IllegalArgumentException e) {
                return error(400, String.valueOf(e.getMessage()));
            } catch (IOException e) {
                return error(409, String.valueOf(e.getMessage()));
            }
        });
    }

    private String act(String pool, String operation) throws IOException {
        if (!OPERATIONS.contains(operation)) {
            throw new IllegalArgumentException("operation: '" + operation + "' (expected: one of " + OPERATIONS + ")");
        }
        reader.act(pool, operation);
        return operation;
    }

    private String change(PoolView pool, String setting, String text) throws IOException {
        Object now = pool.settings().get(setting);
        if (now == null) {
            throw new IllegalArgumentException("'" + setting + "' (expected: one of "
                    + String.join(", ", pool.settings().keySet()) + ")");
        }
        Object value = PoolReader.value(setting, now, text);
        reader.change(pool.name(), setting, value);
        return setting + " from " + now + " to " + value;
    }

    /** Names come from outside, and a line of a log is one line. */
    private static String clean(String text) {
        return text.replaceAll("[\\p{C}\\u2028\\u2029]", "?");
    }

    private static Answer page(String base) {
        String page = new String(asset("page.html", "").body(), StandardCharsets.UTF_8)
                .replace("{base}", base.matches("[A-Za-z0-9_-]+") ? base + "/" : "");
        return answer(200, "text/html", page);
    }

    private static Answer asset(String resource, String type) {
        try (InputStream in = Objects.requireNonNull(Console.class.getResourceAsStream(resource), resource)) {
            return new Answer(200, type + ";charset=utf-8", in.readAllBytes());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Under the lock. */
    private Kept look() {
        Kept last = kept;
        if (last == null || !last.isWithin(LOOK_NANOS)) {
            if (last != null && !last.isWithin(MEMORY_NANOS)) {
                watch.forget(); // nobody has asked for long
            }
            last = lookNow();
            kept = last;
        }
        return last;
    }

    private Kept lookNow() {
        try {
            JvmView view = watch.look(reader, null);
            Map<String, PoolView> pools =
                    view.pools().stream().collect(Collectors.toMap(PoolView::name, pool -> pool, (a, b) -> a));
            return new Kept(System.nanoTime(), pools, answer(200, "application/json", json(view)));
        } catch (IOException e) {
            return new Kept(System.nanoTime(), Map.of(), failure(e));
        }
    }

    private String json(JvmView view) {
        ObjectNode tree = MAPPER.valueToTree(view);
        tree.put("writable", writable);
        int share = STACK_CHARS / Math.max(1, 2 * view.pools().size());
        for (JsonNode pool : tree.get("pools")) {
            withoutStacks(pool.get("holders"), share);
            withoutStacks(pool.get("waiters"), share);
        }
        return text(tree);
    }

    /** The longest, who come first, keep theirs. */
    private static void withoutStacks(JsonNode holdersOrWaiters, int share) {
        int left = share;
        for (JsonNode one : holdersOrWaiters) {
            for (String stack : STACKS) {
                for (JsonNode frame : one.path(stack)) {
                    left -= frame.asText().length();
                }
            }
            if (left < 0) {
                STACKS.stream().filter(one::has).forEach(stack -> ((ObjectNode) one).putArray(stack));
            }
        }
    }

    private Answer dump(String pool) {
        return alone(() -> {
            try {
                return answer(200, "text/plain", reader.act(pool, "dump"));
            } catch (IOException e) {
                return e.getCause() instanceof InstanceNotFoundException
                        ? error(404, "no pool '" + pool + "'")
                        : failure(e);
            }
        });
    }

    /** A JVM that stands still keeps no more than one thread for long. */
    private Answer alone(Supplier<Answer> work) {
        try {
            if (!jvm.tryLock(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                return error(503, "the JVM has not answered for " + PATIENCE_SECONDS + " s");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return error(503, "interrupted");
        }
        try {
            return work.get();
        } catch (RuntimeException e) {
            LOG.log(System.Logger.Level.WARNING, "a request of the page failed", e);
            return error(500, "it failed; the log says why");
        } finally {
            jvm.unlock();
        }
    }

    private Answer failure(IOException failure) {
        return error(503, reader.isGone() ? "the JVM has ended" : String.valueOf(failure.getMessage()));
    }

    static Answer error(int status, String message) {
        return answer(status, "application/json", text(MAPPER.createObjectNode().put("error", message)));
    }

    private static String text(JsonNode tree) {
        try {
            return MAPPER.writeValueAsString(tree);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException(e); // a tree has nothing that could fail
        }
    }

    private static Answer answer(int status, String type, String text) {
        return new Answer(status, type + ";charset=utf-8", text.getBytes(StandardCharsets.UTF_8));
    }
}

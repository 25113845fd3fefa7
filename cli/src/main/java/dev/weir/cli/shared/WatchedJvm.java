package dev.weir.cli.shared;

import static dev.weir.cli.shared.Terminal.clean;

import dev.weir.console.window.Jvms;
import dev.weir.console.window.PoolReader;
import dev.weir.console.window.Watch;
import dev.weir.console.window.WindowFailure;
import java.util.Map;
import java.util.function.ToIntFunction;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The JVM that a command looks at: its parameter, who asks, and what is said if it cannot be looked at. */
public final class WatchedJvm {
    /** The exit code where it could not attach. */
    private static final int NOT_ATTACHED = 2;

    @Spec(Spec.Target.MIXEE)
    @SuppressWarnings("NullAway.Init")
    private CommandSpec command;

    @Parameters(
            arity = "0..1",
            paramLabel = "PID|JMX-URL",
            description = "A JVM of this machine and user, by its process id; or a JMX agent, as host:port or"
                    + " service:jmx:... Without it the only JVM here that has a pool.")
    private @Nullable String target;

    @Mixin
    private final Credentials credentials = new Credentials();

    /** For picocli, which fills it. */
    public WatchedJvm() {}

    /**
     * A JVM that can be read.
     *
     * @param name as it is given
     */
    public record Found(String name, PoolReader reader, Watch watch) implements AutoCloseable {
        @Override
        public void close() {
            reader.close();
        }
    }

    /** Attaches or connects, and lets the command work; returns its exit code. */
    public int look(ToIntFunction<Found> work) {
        Terminal.quiet();
        try (Found found = find()) {
            return work.applyAsInt(found);
        } catch (WindowFailure e) {
            return failed(NOT_ATTACHED, e.getMessage());
        }
    }

    /** Says why the command ends, and returns the exit code. */
    public int failed(int exit, @Nullable String why) {
        command.commandLine().getErr().println("weir " + command.name() + ": " + clean(why));
        return exit;
    }

    private Found find() throws WindowFailure {
        try {
            String jvm = target == null ? theOnlyOne() : target;
            if (jvm.matches("\\d{1,18}")) {
                long pid = Long.parseLong(jvm);
                return new Found(jvm, PoolReader.attach(pid), new Watch("pid " + jvm + "  " + Jvms.command(pid)));
            }
            return new Found(jvm, PoolReader.connect(jvm, credentials.user(), credentials.password()), new Watch(jvm));
        } catch (NoClassDefFoundError e) {
            boolean attaching = String.valueOf(e.getMessage()).startsWith("com/sun/tools/attach/");
            throw new WindowFailure((attaching ? "attaching" : "this") + " needs a JDK, and this runtime is none ("
                    + e.getMessage() + " is missing)" + (attaching ? ": give a JMX URL" : ""));
        }
    }

    private static String theOnlyOne() throws WindowFailure {
        Map<Long, String> jvms = Jvms.withPools();
        if (jvms.size() == 1) {
            return jvms.keySet().iterator().next().toString();
        }
        String all = jvms.entrySet().stream()
                .map(entry -> entry.getKey() + " " + entry.getValue())
                .collect(Collectors.joining(", "));
        throw new WindowFailure(
                jvms.isEmpty()
                        ? "no JVM of this user has a pool here: give a PID or a JMX URL"
                        : "several JVMs have a pool: give the PID of one, " + all);
    }
}

package dev.weir.cli.shared;

import dev.weir.console.window.Jvms;
import dev.weir.console.window.PoolReader;
import dev.weir.console.window.Watch;
import dev.weir.console.window.WindowFailure;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** The JVM that a command looks at: its parameter, and who asks. */
public final class WatchedJvm {
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
    public record Found(String name, PoolReader reader, Watch watch) {}

    /**
     * Attaches or connects.
     *
     * @throws WindowFailure if that is not possible; the message says why
     */
    public Found find() throws WindowFailure {
        try {
            String jvm = target == null ? theOnlyOne() : target;
            if (jvm.matches("\\d{1,18}")) {
                long pid = Long.parseLong(jvm);
                return new Found(jvm, PoolReader.attach(pid), new Watch("pid " + jvm + "  " + Jvms.command(pid)));
            }
            return new Found(jvm, PoolReader.connect(jvm, credentials.user(), credentials.password()), new Watch(jvm));
        } catch (NoClassDefFoundError e) {
            throw new WindowFailure("attaching needs a JDK, and this runtime is none (" + e.getMessage()
                    + " is missing): give a JMX URL");
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

package dev.weir.cli.explain;

import com.sun.tools.attach.AttachNotSupportedException;
import com.sun.tools.attach.VirtualMachine;
import com.sun.tools.attach.VirtualMachineDescriptor;
import dev.weir.cli.shared.Stop;
import dev.weir.cli.shared.Time;
import dev.weir.cli.shared.Version;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import javax.management.JMX;
import javax.management.MBeanServerConnection;
import javax.management.MalformedObjectNameException;
import javax.management.ObjectName;
import javax.management.remote.JMXConnector;
import javax.management.remote.JMXConnectorFactory;
import javax.management.remote.JMXServiceURL;
import jdk.management.jfr.FlightRecorderMXBean;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code weir record}. */
@Command(
        name = "record",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        sortOptions = false,
        description = {
            "Records what the pools of a running JVM do, and explains it. Nothing in the JVM is changed: its flight",
            "recorder runs for that time with Weir's settings, at less than 1 % of its work."
        },
        footerHeading = "%nExamples:%n",
        footer = {"  ./weir record 4711", "  ./weir record 4711 --for 5m -o friday.jfr"})
public final class RecordCommand implements Callable<Integer> {
    private static final String SETTINGS = "/META-INF/weir.jfc";

    private final Supplier<Stop> stop;

    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Parameters(paramLabel = "PID", description = "The process id of the JVM, as jps lists them.")
    private long pid;

    @Option(
            names = "--for",
            paramLabel = "TIME",
            converter = Time.class,
            defaultValue = "60s",
            description = "How long, such as 60s or 5m (default: 60s). Ctrl-C ends it earlier.")
    @SuppressWarnings("NullAway.Init")
    private Duration time;

    @Option(
            names = {"-o", "--output"},
            paramLabel = "FILE",
            description = "The recording (default: weir-PID.jfr); the page is beside it.")
    private @Nullable Path file;

    public RecordCommand(Supplier<Stop> stop) {
        this.stop = stop;
    }

    @Override
    @SuppressWarnings("BanJNDI") // the address is the agent's own
    public Integer call() {
        if (time.toMillis() < 1_000 || time.toHours() >= 24) {
            throw new ParameterException(spec.commandLine(), "--for: " + time.toMillis() + " ms (expected: 1s..24h)");
        }
        PrintWriter err = spec.commandLine().getErr();
        Path target = file == null ? Path.of("weir-" + pid + ".jfr") : file;
        Stop stopping = stop.get();
        try (JMXConnector jmx = JMXConnectorFactory.connect(new JMXServiceURL(agentOf(pid)))) {
            record(jmx.getMBeanServerConnection(), stopping, target, err);
        } catch (IOException e) {
            err.println(e.getMessage());
            return 1;
        } catch (LinkageError e) {
            err.println("recording needs a JDK, and this runtime is none (" + e.getMessage() + ")");
            return 1;
        }
        return ExplainCommand.explain(target, null, spec.commandLine().getOut(), err);
    }

    private void record(MBeanServerConnection jvm, Stop stopping, Path target, PrintWriter err) throws IOException {
        FlightRecorderMXBean recorder = recorder(jvm);
        long id = recorder.newRecording();
        try {
            recorder.setConfiguration(id, settings());
            recorder.setRecordingOptions(id, Map.of("name", "weir record", "disk", "true"));
            recorder.startRecording(id);
            err.println("Recording " + pid + " for " + Time.text(time) + " ...");
            err.flush();
            boolean ignored = stopping.await(time);
            recorder.stopRecording(id);
            copy(recorder, id, target);
        } catch (RuntimeException e) {
            String text = e.getMessage() == null ? String.valueOf(e.getCause()) : e.getMessage();
            boolean gone = ProcessHandle.of(pid).isEmpty();
            throw new IOException(
                    pid + ": "
                            + (gone
                                    ? "it has ended, and its recording with it"
                                    : "its flight recorder failed: "
                                            + text.lines().findFirst().orElse("")),
                    e);
        } finally {
            close(recorder, id);
        }
    }

    private static void close(FlightRecorderMXBean recorder, long id) {
        try {
            recorder.closeRecording(id);
        } catch (IOException | RuntimeException e) {
            System.getLogger(RecordCommand.class.getName()).log(System.Logger.Level.DEBUG, "close", e);
        }
    }

    private FlightRecorderMXBean recorder(MBeanServerConnection jvm) throws IOException {
        try {
            ObjectName name = new ObjectName(FlightRecorderMXBean.MXBEAN_NAME);
            if (!jvm.isRegistered(name)) {
                throw new IOException(pid + ": its runtime has no flight recorder (module jdk.management.jfr)");
            }
            return JMX.newMXBeanProxy(jvm, name, FlightRecorderMXBean.class);
        } catch (MalformedObjectNameException e) {
            throw new IllegalStateException(e);
        }
    }

    private static String settings() throws IOException {
        try (InputStream in = Objects.requireNonNull(RecordCommand.class.getResourceAsStream(SETTINGS), SETTINGS)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    /** Over the connection, and not by a file of the JVM's: it may write elsewhere, or as another user. */
    private static void copy(FlightRecorderMXBean recorder, long id, Path target) throws IOException {
        long stream = recorder.openStream(id, Map.of());
        try (OutputStream out = Files.newOutputStream(target)) {
            for (byte[] part = recorder.readStream(stream); part != null; part = recorder.readStream(stream)) {
                out.write(part);
            }
        } catch (java.nio.file.FileSystemException e) {
            throw new IOException(
                    target + ": cannot be written: " + e.getClass().getSimpleName(), e);
        } finally {
            recorder.closeStream(stream);
        }
    }

    /** The JMX address of a JVM of this machine and user, whose local agent is started for it. */
    private static String agentOf(long pid) throws IOException {
        if (ProcessHandle.of(pid).isEmpty()) {
            throw new IOException(pid + ": no such process");
        }
        String id = Long.toString(pid);
        if (VirtualMachine.list().stream().map(VirtualMachineDescriptor::id).noneMatch(id::equals)) {
            throw new IOException(String.format(
                    Locale.ROOT,
                    "%s: no JVM that this user can attach to: run it as the JVM's user, in its container",
                    id));
        }
        try {
            VirtualMachine jvm = VirtualMachine.attach(id);
            try {
                return jvm.startLocalManagementAgent();
            } finally {
                jvm.detach();
            }
        } catch (AttachNotSupportedException | IOException e) {
            throw new IOException(id + ": cannot attach: " + e.getMessage(), e);
        }
    }
}

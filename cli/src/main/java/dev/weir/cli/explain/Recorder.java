package dev.weir.cli.explain;

import dev.weir.cli.shared.Stop;
import dev.weir.console.window.Jvms;
import dev.weir.console.window.Times;
import dev.weir.console.window.WindowFailure;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import javax.management.JMX;
import javax.management.MBeanServerConnection;
import javax.management.MalformedObjectNameException;
import javax.management.ObjectName;
import javax.management.remote.JMXConnector;
import javax.management.remote.JMXConnectorFactory;
import javax.management.remote.JMXServiceURL;
import jdk.management.jfr.FlightRecorderMXBean;

/** A flight recording of another JVM. The commands do not link to what this links to, which a JRE lacks. */
final class Recorder {
    private static final String SETTINGS = "/META-INF/weir.jfc";

    private Recorder() {}

    /**
     * Records a JVM of this machine into a file.
     *
     * @throws IOException if that fails, in plain words
     */
    @SuppressWarnings("BanJNDI") // the address is the agent's own
    static void record(long pid, Duration time, Stop stopping, Path target, PrintWriter err) throws IOException {
        try (JMXConnector jmx = JMXConnectorFactory.connect(new JMXServiceURL(agentOf(pid)))) {
            record(pid, recorder(pid, jmx.getMBeanServerConnection()), time, stopping, target, err);
        }
    }

    private static void record(
            long pid, FlightRecorderMXBean recorder, Duration time, Stop stopping, Path target, PrintWriter err)
            throws IOException {
        long id = recorder.newRecording();
        try {
            recorder.setConfiguration(id, settings());
            recorder.setRecordingOptions(id, Map.of("name", "weir record", "disk", "true"));
            recorder.startRecording(id);
            err.println("Recording " + pid + " for " + Times.text(time.toMillis()) + " ...");
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
            System.getLogger(Recorder.class.getName()).log(System.Logger.Level.DEBUG, "close", e);
        }
    }

    private static FlightRecorderMXBean recorder(long pid, MBeanServerConnection jvm) throws IOException {
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
        try (InputStream in = Objects.requireNonNull(Recorder.class.getResourceAsStream(SETTINGS), SETTINGS)) {
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
        } catch (FileSystemException e) {
            throw new IOException(
                    target + ": cannot be written: " + e.getClass().getSimpleName(), e);
        } finally {
            recorder.closeStream(stream);
        }
    }

    private static String agentOf(long pid) throws IOException {
        try {
            return Jvms.startAgent(pid);
        } catch (WindowFailure e) {
            throw new IOException(e.getMessage(), e);
        }
    }
}

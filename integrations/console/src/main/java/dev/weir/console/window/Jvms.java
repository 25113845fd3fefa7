package dev.weir.console.window;

import com.sun.tools.attach.AttachNotSupportedException;
import com.sun.tools.attach.VirtualMachine;
import com.sun.tools.attach.VirtualMachineDescriptor;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** The JVMs of this machine that this user may attach to. A runtime without {@code jdk.attach} cannot load this class. */
public final class Jvms {
    private static final String POOL = "dev.weir.WeirDataSource";
    private static final long PATIENCE_SECONDS = 30;

    private Jvms() {}

    /**
     * Returns the JVMs that have loaded a pool's class, and their main classes, by process id. It starts nothing in them, as a look
     * over JMX would: {@code jcmd} asks each for its classes.
     *
     * @throws WindowFailure if they cannot be asked
     */
    public static Map<Long, String> withPools() throws WindowFailure {
        List<Long> ids = idsIn(classes());
        Map<Long, String> found = new LinkedHashMap<>();
        commands().forEach((id, command) -> {
            if (ids.contains(id) && id != ProcessHandle.current().pid()) {
                found.put(id, command);
            }
        });
        return found;
    }

    private static String classes() throws WindowFailure {
        Path jcmd = Path.of(System.getProperty("java.home"), "bin", "jcmd");
        try {
            Path answer = Files.createTempFile("weir", ".txt");
            try {
                Process process = new ProcessBuilder(jcmd.toString(), "0", "VM.class_hierarchy", POOL)
                        .redirectErrorStream(true)
                        .redirectOutput(answer.toFile())
                        .start();
                if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                    process.destroyForcibly(); // some JVM does not answer; those before it did
                }
                return Files.readString(answer, StandardCharsets.ISO_8859_1);
            } finally {
                Files.delete(answer);
            }
        } catch (IOException e) {
            throw new WindowFailure("no PID is given, and JVMs cannot be asked: " + e.getMessage(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new WindowFailure("interrupted", e);
        }
    }

    /** An answer begins with the process id and a colon on a line of its own. */
    static List<Long> idsIn(String answers) {
        List<Long> ids = new ArrayList<>();
        long id = 0;
        for (String line : answers.lines().toList()) {
            if (line.matches("\\d{1,18}:")) {
                id = Long.parseLong(line.substring(0, line.length() - 1));
            } else if (line.contains(POOL + "/") && !ids.contains(id)) {
                ids.add(id);
            }
        }
        return ids;
    }

    /** Returns the main class of a JVM, or its jar; empty if it is none. The arguments, which may hold secrets, are left out. */
    public static String command(long id) {
        return commands().getOrDefault(id, "");
    }

    private static Map<Long, String> commands() {
        Map<Long, String> commands = new LinkedHashMap<>();
        for (VirtualMachineDescriptor one : VirtualMachine.list()) {
            commands.put(Long.valueOf(one.id()), one.displayName().replaceFirst(" .*", ""));
        }
        return commands;
    }

    /**
     * Starts the JVM's local management agent, which listens on the loopback address for its own user.
     *
     * @return the JMX URL
     * @throws WindowFailure if there is no such JVM, or it does not allow it
     */
    public static String startAgent(long id) throws WindowFailure {
        if (ProcessHandle.of(id).isEmpty()) {
            throw new WindowFailure(id + ": no such process");
        }
        try {
            if (!commands().containsKey(id)) { // another process may end by what attaching sends it
                throw new WindowFailure(id
                        + ": no JVM that this user can attach to. Run it as the JVM's own user, in its container, and"
                        + " without -XX:+DisableAttachMechanism; top and console also take HOST:PORT of its JMX agent"
                        + " (-Dcom.sun.management.jmxremote.port=PORT)");
            }
            VirtualMachine jvm = VirtualMachine.attach(Long.toString(id));
            try {
                return jvm.startLocalManagementAgent();
            } finally {
                jvm.detach();
            }
        } catch (AttachNotSupportedException | IOException e) {
            throw new WindowFailure(id + ": cannot attach: " + e.getMessage(), e);
        }
    }
}

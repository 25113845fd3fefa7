package dev.weir.lab.runs;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashMap;
import java.util.Map;

/**
 * Which runs are under way in this process: each has a file in its folder whose lock the process holds until the run is
 * finished or the process ends, however it does. Thread-safe.
 */
final class UnderWay {
    private static final String FILE = "run.lock";

    /** By the folder's real path; guarded by the class. */
    private static final Map<Path, FileChannel> LOCKED = new HashMap<>();

    private UnderWay() {}

    /** Takes a run for this process, which may have it already; returns whether no other process has it. */
    static synchronized boolean take(Path run) throws IOException {
        Path folder = run.toRealPath();
        if (LOCKED.containsKey(folder)) {
            // A second channel is not to be opened: on POSIX the lock of the first would go when that is closed.
            return true;
        }
        FileChannel channel =
                FileChannel.open(folder.resolve(FILE), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        boolean isTaken = false;
        try {
            isTaken = channel.tryLock() != null;
        } finally {
            if (!isTaken) {
                channel.close();
            }
        }
        if (isTaken) {
            LOCKED.put(folder, channel);
        }
        return isTaken;
    }

    /** Gives back a run that is finished: whoever takes it from now on sees that, so the file can go. */
    static synchronized void leave(Path run) throws IOException {
        Path folder = run.toRealPath();
        FileChannel channel = LOCKED.remove(folder);
        if (channel != null) {
            channel.close();
            Files.deleteIfExists(folder.resolve(FILE));
        }
    }
}

package dev.weir.lab.runs;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * How much of the machine's time went to others while a run was under way: stolen by the hypervisor, or used by foreign
 * processes. A process is the run's own if it, or one it comes from, has {@code WEIR_RUN} of this process in its environment, as
 * {@code ./weir} sets it and children inherit it, database servers that detach themselves included; PostgreSQL's children write
 * their titles over theirs. Threads of the kernel are nobody's. What a foreign process
 * used that began and ended between two looks is seen if its parent waited for it. Reads {@code /proc}; elsewhere, and
 * without {@code WEIR_RUN}, nothing is known; in a container, of its own processes only. Not thread-safe.
 */
public final class Quiet {
    /** Of all processor time; from here on a run is marked. */
    public static final double LIMIT_PERCENT = 1;

    private static final String VARIABLE = "WEIR_RUN";
    private static final int STATES = 8;
    private static final int STEAL_STATE = 7;
    private static final String STEAL = "steal %";
    private static final String FOREIGN = "foreign CPU %";

    private static final int PARENT = 4 - 3;
    private static final String ENDED = "Z";
    private static final long KERNEL_THREAD = 0x0020_0000;

    private final Path proc;
    private final @Nullable String own;
    /** Of own processes; the first of all is the parent of each server that detaches itself. */
    private final Set<String> parents = new HashSet<>(Set.of("1"));

    private Map<String, Known> processes = Map.of();
    private long[] cpu = {};
    private long total;
    private long stolen;
    private long foreign;

    /** Begins to watch. */
    public Quiet() {
        this(Path.of("/proc"), System.getenv(VARIABLE));
    }

    Quiet(Path proc, @Nullable String run) {
        this.proc = proc;
        this.own = run == null ? null : VARIABLE + "=" + run;
        look();
        foreign = 0; // what they used before
    }

    /**
     * A process at the last look.
     *
     * @param ticks what it used
     * @param waited what the children used that it waited for
     */
    private record Known(String parent, long ticks, long waited, boolean isForeign) {}

    /** Adds up what happened since the last look. */
    public void look() {
        long[] now = cpu();
        if (now.length < STATES) {
            return;
        }
        Map<String, Known> before = processes;
        processes = new HashMap<>();
        for (Path folder : folders()) {
            read(folder, before);
        }
        processes.values().stream()
                .filter(process -> !process.isForeign)
                .forEach(process -> parents.add(process.parent));
        before.forEach((id, process) -> {
            if (process.isForeign && !processes.containsKey(id) && isForeign(before, process.parent)) {
                foreign -= process.ticks + waited(id, process); // its parent has them now
            }
        });
        processes.forEach((id, process) -> {
            Known known = before.get(id);
            if (process.isForeign) {
                foreign += process.ticks - (known == null ? 0 : known.ticks);
                foreign += waited(id, process) - (known == null ? 0 : waited(id, known));
            }
        });
        if (cpu.length > 0) {
            stolen += now[STEAL_STATE] - cpu[STEAL_STATE];
            for (int i = 0; i < STATES; i++) {
                total += now[i] - cpu[i];
            }
        }
        cpu = now;
    }

    /** Who waits for own processes has their time too. */
    private long waited(String id, Known process) {
        return parents.contains(id.substring(0, id.indexOf(' '))) ? 0 : process.waited;
    }

    private boolean isForeign(Map<String, Known> all, String pid) {
        return !parents.contains(pid)
                && all.entrySet().stream()
                        .anyMatch(one -> one.getKey().startsWith(pid + " ") && one.getValue().isForeign);
    }

    /** What was seen until the last look, in percent of all processor time; empty where it is not known. */
    public Map<String, Object> facts() {
        if (total == 0) {
            return Map.of();
        }
        return own == null ? Map.of(STEAL, percent(stolen)) : Map.of(STEAL, percent(stolen), FOREIGN, percent(foreign));
    }

    /** Why a run on a machine with these facts is not to be published; null if nothing speaks against it. */
    public static @Nullable String fault(Map<String, Object> machine) {
        String most = disturbance(machine);
        if (most != null) {
            return String.format(
                    Locale.ROOT,
                    "The machine was not quiet: %s %.1f (at most %.0f). Not to be published.",
                    most,
                    value(machine, most),
                    LIMIT_PERCENT);
        }
        return value(machine, STEAL) < 0 || value(machine, FOREIGN) < 0
                ? "Nobody knows whether the machine was quiet: that is seen on Linux, of runs of ./weir. Not to be published."
                : null;
    }

    /** The fact by which others are known to have used more than is allowed, if there is one. */
    static @Nullable String disturbance(Map<String, Object> machine) {
        return value(machine, STEAL) > LIMIT_PERCENT ? STEAL : value(machine, FOREIGN) > LIMIT_PERCENT ? FOREIGN : null;
    }

    private static double value(Map<String, Object> facts, String name) {
        return facts.get(name) instanceof Number number ? number.doubleValue() : -1;
    }

    private double percent(long ticks) {
        return Math.round(ticks * 1000.0 / total) / 10.0;
    }

    /** user, nice, system, idle, iowait, irq, softirq, steal, in ticks since the machine started. */
    private long[] cpu() {
        for (String line : Machine.lines(proc.resolve("stat").toString())) {
            if (line.startsWith("cpu ")) {
                String[] words = line.trim().split(" +", -1);
                long[] ticks = new long[words.length - 1];
                for (int i = 0; i < ticks.length; i++) {
                    ticks[i] = Long.parseLong(words[i + 1]);
                }
                return ticks;
            }
        }
        return new long[0];
    }

    private List<Path> folders() {
        try (DirectoryStream<Path> found = Files.newDirectoryStream(proc, "[0-9]*")) {
            List<Path> folders = new ArrayList<>();
            found.forEach(folders::add);
            return folders;
        } catch (IOException e) {
            return List.of();
        }
    }

    /** Adds a process to what is known, unless it has ended. */
    private void read(Path folder, Map<String, Known> before) {
        String[] words = words(folder);
        if (words.length == 0) {
            return;
        }
        long ticks = Long.parseLong(words[14 - 3]) + Long.parseLong(words[15 - 3]); // utime, stime
        long waited = Long.parseLong(words[16 - 3]) + Long.parseLong(words[17 - 3]); // cutime, cstime
        String id = folder.getFileName() + " " + words[22 - 3]; // with its start, as numbers are used again
        Known known = before.get(id);
        if (known == null && words[0].equals(ENDED)) {
            return; // it has no environment any more, and its parent will have its time
        }
        boolean isKernel = (Long.parseLong(words[9 - 3]) & KERNEL_THREAD) != 0;
        boolean isForeign = known == null ? !isKernel && !isOwn(folder, words[PARENT]) : known.isForeign;
        processes.put(id, new Known(words[PARENT], ticks, waited, isForeign));
    }

    /** From field 3 of proc(5) on; none of one that has ended, and of number 0. */
    private static String[] words(Path folder) {
        List<String> lines = Machine.lines(folder.resolve("stat").toString());
        if (lines.isEmpty()) {
            return new String[0];
        }
        String stat = lines.get(0);
        return stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
    }

    private boolean isOwn(Path folder, String parent) {
        Path process = folder;
        String next = parent;
        while (!isMarked(process)) {
            process = proc.resolve(next);
            String[] words = words(process);
            if (words.length == 0) {
                return false;
            }
            next = words[PARENT];
        }
        return true;
    }

    private boolean isMarked(Path folder) {
        try {
            String environment = Files.readString(folder.resolve("environ"), StandardCharsets.ISO_8859_1);
            return own != null && List.of(environment.split("\0", -1)).contains(own);
        } catch (IOException e) {
            return false; // it has ended, or is another user's
        }
    }
}

package dev.weir.lab.runs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A {@code /proc} is made up: 1,000 ticks pass in it between two looks. */
final class QuietTest {
    private static final int KERNEL_THREAD = 0x0020_0000;

    @TempDir
    private Path proc;

    private long passed;

    private void pass(long stolen) throws IOException {
        passed += 1_000;
        Files.writeString(
                proc.resolve("stat"), "cpu  %d 0 0 0 0 0 0 %d 0 0\ncpu0 1 2 3\n".formatted(passed - stolen, stolen));
    }

    private void process(int pid, int parent, long ticks, long waitedFor, String environment) throws IOException {
        process(pid, parent, 0, ticks, waitedFor, environment);
    }

    private void process(int pid, int parent, int flags, long ticks, long waitedFor, String environment)
            throws IOException {
        Path folder = Files.createDirectories(proc.resolve(Integer.toString(pid)));
        Files.writeString(
                folder.resolve("stat"),
                "%d (a (b) c) S %d 0 0 0 0 %d 0 0 0 0 %d 0 %d 0 0 0 0 0 99 0"
                        .formatted(pid, parent, flags, ticks, waitedFor));
        Files.writeString(folder.resolve("environ"), environment);
    }

    private void end(int pid) throws IOException {
        Path folder = proc.resolve(Integer.toString(pid));
        Files.delete(folder.resolve("stat"));
        Files.delete(folder.resolve("environ"));
        Files.delete(folder);
    }

    private Quiet begun() throws IOException {
        pass(0);
        process(10, 1, 500, 0, "A=1\0WEIR_RUN=7\0");
        process(20, 1, 5_000, 0, "A=1\0WEIR_RUN=77\0");
        process(30, 2, KERNEL_THREAD, 5_000, 0, "");
        return new Quiet(proc, "7");
    }

    @Test
    void whatOthersUseMeanwhileIsForeign() throws IOException {
        Quiet quiet = begun();
        pass(0);
        process(10, 1, 900, 0, "");
        process(11, 10, 300, 0, "WEIR_RUN=7\0"); // began since
        process(20, 1, 5_040, 0, "");
        process(21, 1, 5, 0, "WEIR_RUN=8\0");
        process(30, 2, KERNEL_THREAD, 5_200, 0, "");
        quiet.look();
        assertThat(quiet.facts()).isEqualTo(Map.of("steal %", 0.0, "foreign CPU %", 4.5));
        assertThat(Quiet.fault(quiet.facts()))
                .isEqualTo("The machine was not quiet: foreign CPU % 4.5 (at most 1). Not to be published.");
    }

    @Test
    void whoComesFromAnOwnProcessIsOwnWhateverItMadeOfItsEnvironment() throws IOException {
        Quiet quiet = begun();
        process(1, 0, 0, 0, "");
        process(12, 1, 0, 0, "WEIR_RUN=7\0"); // a server that detached itself
        process(13, 12, 0, 0, "idle");
        process(14, 13, 0, 0, "busy");
        pass(0);
        quiet.look();
        process(13, 12, 300, 0, "");
        process(14, 13, 300, 0, "");
        pass(0);
        quiet.look();
        Files.writeString(
                proc.resolve("13/stat"),
                Files.readString(proc.resolve("13/stat")).replace("S 12", "Z 1"));
        process(15, 1, 500, 0, "");
        Files.writeString(
                proc.resolve("15/stat"),
                Files.readString(proc.resolve("15/stat")).replace(" S ", " Z "));
        end(12);
        process(1, 0, 10, 700, ""); // it waited for the server
        pass(0);
        quiet.look();
        assertThat(quiet.facts()).containsEntry("foreign CPU %", 0.3);
    }

    @Test
    void whatEndedIsCountedOnce() throws IOException {
        Quiet quiet = begun();
        process(21, 20, 0, 0, "");
        pass(0);
        quiet.look();
        process(21, 20, 20, 0, "");
        pass(0);
        quiet.look();
        end(21);
        process(20, 1, 5_000, 30, ""); // it waited for one that used 30 in all, 20 of them seen before
        pass(0);
        quiet.look();
        assertThat(quiet.facts()).containsEntry("foreign CPU %", 1.0);
        assertThat(Quiet.fault(quiet.facts())).isNull();
        assertThat(Quiet.disturbance(quiet.facts())).isNull();
    }

    @Test
    void timeThatTheHypervisorTookIsSeen() throws IOException {
        Quiet quiet = begun();
        pass(20);
        quiet.look();
        assertThat(quiet.facts()).containsEntry("steal %", 2.0);
        assertThat(Quiet.disturbance(quiet.facts())).isEqualTo("steal %");
        assertThat(Quiet.fault(quiet.facts())).contains("steal % 2.0");
    }

    @Test
    void withoutAMarkOfItsOwnNothingIsCalledForeign() throws IOException {
        begun();
        Quiet quiet = new Quiet(proc, null);
        pass(0);
        process(20, 1, 6_000, 0, "");
        quiet.look();
        assertThat(quiet.facts()).isEqualTo(Map.of("steal %", 0.0));
        assertThat(Quiet.fault(quiet.facts())).contains("Nobody knows");
        assertThat(Quiet.disturbance(quiet.facts())).as("not known").isNull();
    }

    @Test
    void elsewhereNothingIsKnown() {
        Quiet quiet = new Quiet(proc.resolve("none"), "7");
        quiet.look();
        assertThat(quiet.facts()).isEmpty();
        assertThat(Quiet.fault(quiet.facts())).contains("Nobody knows").endsWith("Not to be published.");
    }
}

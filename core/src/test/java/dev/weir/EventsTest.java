package dev.weir;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** P10: the flight recorder has the pool's events once it asks for them. */
class EventsTest {
    private static final List<String> NAMES = List.of(
            "dev.weir.ConnectionOpened",
            "dev.weir.ConnectionOpenFailed",
            "dev.weir.ConnectionRetired",
            "dev.weir.AcquireWaited",
            "dev.weir.AcquireTimedOut",
            "dev.weir.ConnectionLeaked");

    private static void emitAll() {
        Events.opened("shop", 1, 2_000_000);
        Events.openFailed("shop", 3_000_000, "08001", "refused");
        Events.retired("shop", 1, RetireReason.AGE, 4_000_000);
        Events.acquireWaited("shop", 5_000_000, 6);
        Events.acquireTimedOut("shop", 7_000_000, 8, 9, 10, 11);
        Events.leaked("shop", 1, "worker", 12_000_000, "at x");
    }

    private static List<RecordedEvent> recorded(Path folder, boolean enabled) throws IOException {
        Path file = folder.resolve("weir.jfr");
        try (Recording recording = new Recording()) {
            if (enabled) {
                NAMES.forEach(recording::enable);
            }
            recording.start();
            emitAll();
            recording.stop();
            recording.dump(file);
        }
        return RecordingFile.readAllEvents(file).stream()
                .filter(event -> event.getEventType().getName().startsWith("dev.weir."))
                .toList();
    }

    @Test
    void eventsAreRecordedWhenEnabled(@TempDir Path folder) throws IOException {
        Map<String, RecordedEvent> events = recorded(folder, true).stream()
                .collect(Collectors.toMap(event -> event.getEventType().getName(), Function.identity()));
        assertThat(events.keySet()).containsExactlyInAnyOrderElementsOf(NAMES);
        events.values().forEach(event -> {
            assertThat(event.getString("pool")).isEqualTo("shop");
            assertThat(event.getEventType().getCategoryNames()).containsExactly("Weir");
        });
        assertThat(events.get("dev.weir.ConnectionOpened").getDuration("took")).isEqualTo(Duration.ofMillis(2));
        assertThat(events.get("dev.weir.ConnectionOpenFailed").getString("sqlState"))
                .isEqualTo("08001");
        assertThat(events.get("dev.weir.ConnectionRetired").getString("reason")).isEqualTo("AGE");
        assertThat(events.get("dev.weir.AcquireWaited").getDuration("waited")).isEqualTo(Duration.ofMillis(5));
        assertThat(events.get("dev.weir.AcquireTimedOut").getInt("opening")).isEqualTo(11);
        assertThat(events.get("dev.weir.ConnectionLeaked").getString("holder")).isEqualTo("worker");
        assertThat(events.get("dev.weir.ConnectionOpened").getStackTrace()).isNull();
    }

    @Test
    void eventsAreOffUntilTheyAreAskedFor(@TempDir Path folder) throws IOException {
        assertThat(recorded(folder, false)).isEmpty();
    }
}

package dev.weir.internal.settings;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** P9: the documentation of the settings is the table of the code. */
class SettingsDocTest {
    private static final Path ROOT =
            Path.of(System.getProperty("basedir", "")).toAbsolutePath().getParent();
    private static final boolean UPDATE = Boolean.getBoolean("weir.docs.update");

    @Test
    void guideIsWhatTheCodeSays() throws IOException {
        Path guide = ROOT.resolve("docs/reference/settings.md");
        if (UPDATE) {
            Files.createDirectories(guide.getParent());
            Files.writeString(guide, SettingsDoc.guide());
        }
        assertThat(guide)
                .as("run with -Dweir.docs.update=true to rewrite it")
                .content()
                .isEqualTo(SettingsDoc.guide());
    }
}

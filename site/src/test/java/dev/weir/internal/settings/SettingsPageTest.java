package dev.weir.internal.settings;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

/** P9: the page of the settings is the table of the code. */
class SettingsPageTest {
    private static final Path PAGE =
            Path.of(System.getProperty("basedir", "")).toAbsolutePath().resolveSibling("docs/reference/settings.md");

    @Test
    void pageIsWhatTheCodeSays() throws IOException {
        if (Boolean.getBoolean("weir.docs.update")) {
            Files.writeString(PAGE, SettingsPage.text());
        }
        assertThat(PAGE)
                .as("run with -Dweir.docs.update=true to rewrite it")
                .content()
                .isEqualTo(SettingsPage.text());
    }

    @Test
    void thePartsNameSettingsThatThereAreAndNoneTwice() {
        assertThat(Arrays.stream(Setting.values()).map(Setting::settingName))
                .containsAll(SettingsPage.USUAL)
                .containsAll(SettingsPage.OCCASIONAL);
        assertThat(SettingsPage.USUAL).doesNotContainAnyElementsOf(SettingsPage.OCCASIONAL);
    }
}

package dev.weir.dropwizard;

import static org.assertj.core.api.Assertions.assertThat;

import io.dropwizard.core.Application;
import java.io.File;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** These tests run in two modules; each must have the Dropwizard that it is there for, and no other. */
class VersionTest {

    @Test
    void theDropwizardIsThatOfTheModule() throws Exception {
        String module = Path.of("").toAbsolutePath().getFileName().toString();
        String jar = new File(Application.class
                        .getProtectionDomain()
                        .getCodeSource()
                        .getLocation()
                        .toURI())
                .getName();
        assertThat(jar).startsWith(module.equals("dropwizard-5-tests") ? "dropwizard-core-5." : "dropwizard-core-4.");
    }
}

package dev.weir.cli;

import dev.weir.testkit.Rooms;
import org.junit.jupiter.api.Test;

class ArchitectureTest {

    @Test
    void commandsSeeThePoolTheTestKitAndLibrariesThatAreNoPools() {
        Rooms.seesThePoolAnd(
                "dev.weir.cli",
                "dev.weir.cli..",
                "dev.weir.migration",
                "dev.weir.testkit",
                "com.samskivert.mustache",
                "de.siegmar.fastcsv..",
                "org.HdrHistogram",
                "org.hipparchus..",
                "org.knowm.xchart..",
                "org.springframework.boot.env",
                "org.springframework.core.env",
                "org.springframework.core.io",
                "org.yaml.snakeyaml..",
                "picocli");
    }
}

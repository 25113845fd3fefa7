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
                "de.siegmar.fastcsv..",
                "org.HdrHistogram",
                "org.hipparchus..",
                "org.knowm.xchart..",
                "org.yaml.snakeyaml..",
                "picocli");
    }
}

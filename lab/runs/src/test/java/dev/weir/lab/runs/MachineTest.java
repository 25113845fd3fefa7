package dev.weir.lab.runs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class MachineTest {
    @Test
    void whatAReaderMustKnowOfTheMachineIsThere() throws Exception {
        Map<String, Object> facts = Machine.facts();

        assertThat(facts)
                .containsKeys(
                        "id",
                        "jdk",
                        "vm",
                        "os",
                        "arch",
                        "cores",
                        "processor",
                        "threads per core",
                        "sockets",
                        "governor",
                        "memory",
                        "hypervisor",
                        "load average")
                .doesNotContainValue(null)
                .doesNotContainValue("");
        assertThat(Machine.difference(facts, Machine.facts())).isEmpty();
        Path id = Path.of("/etc/machine-id");
        assertThat(facts.toString())
                .as("the system's own id is nobody else's business")
                .doesNotContain(
                        Files.exists(id) && Files.size(id) > 1
                                ? Files.readString(id).strip()
                                : "machine-id");
    }

    @Test
    void whatLscpuSaysIsKeptWhereItIs() {
        Object lscpu = Machine.facts().get("lscpu");
        assumeThat(lscpu).as("lscpu of util-linux is not installed").isNotNull();

        assertThat(lscpu)
                .asInstanceOf(org.assertj.core.api.InstanceOfAssertFactories.map(String.class, String.class))
                .containsKeys("Architecture", "Thread(s) per core", "Socket(s)")
                .doesNotContainKey("Flags");
    }

    @Test
    void runsOfAnotherMachineOrJdkAreToldApart() {
        Map<String, Object> one = Map.of("jdk", "25", "cores", 2, "load average", "0.1");

        assertThat(Machine.difference(one, Map.of("jdk", "25", "cores", 2, "load average", "9")))
                .isEmpty();
        assertThat(Machine.difference(one, Map.of("jdk", "17", "cores", 2))).contains("jdk 25 and 17");
        assertThat(Machine.difference(one, Map.of("jdk", "25", "cores", 4))).contains("cores 2 and 4");
        assertThat(Machine.difference(one, Map.of()))
                .as("an old run, which does not say")
                .isEmpty();
    }
}

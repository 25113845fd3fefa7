package dev.weir.testkit.servers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a build says of the programs that only some machines have. */
final class ProgramsTest {
    private final String before = System.getProperty("weir.require", "");

    @BeforeEach
    void requireTwo() {
        System.setProperty("weir.require", "unheard-of,java");
    }

    @AfterEach
    void asBefore() {
        System.setProperty("weir.require", before);
    }

    @Test
    void whatIsMissingFailsOnlyWhereItIsRequired() {
        assertThat(Programs.areInstalled("another", "no-such-program")).isFalse();
        assertThatThrownBy(() -> Programs.areInstalled("unheard-of", "no-such-program"))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("no-such-program");
    }
}

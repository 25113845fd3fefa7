package dev.weir.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class SessionTagTest {

    @Test
    void fleetsWhoseNamesHashAlikeHaveDifferentTags() {
        assertThat("Aa".hashCode()).isEqualTo("BB".hashCode());
        assertThat(SessionTag.prefix("Aa"))
                .isNotEqualTo(SessionTag.prefix("BB"))
                .isEqualTo(SessionTag.prefix("Aa"))
                .matches("weir:[0-9a-f]{12}:");
    }
}

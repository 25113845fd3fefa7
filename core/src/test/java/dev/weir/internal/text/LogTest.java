package dev.weir.internal.text;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.LogCapture;
import java.lang.System.Logger.Level;
import org.junit.jupiter.api.Test;

class LogTest {

    @Test
    void aMessageIsTakenAsItIsUnlessItHasParameters() {
        try (LogCapture log = new LogCapture()) {
            Log.log(Level.INFO, "as {0} is");
            Log.log(Level.WARNING, "pool ''{0}'': {1}", "shop", 46_200L);
            Log.log(Level.WARNING, "failed", new IllegalStateException("why"));
            Log.log(Level.DEBUG, "not written");
            assertThat(log.infos()).containsExactly("as {0} is", "pool 'shop': 46200", "failed");
            assertThat(log.text()).contains("why");
        }
    }
}

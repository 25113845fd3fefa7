package dev.weir.cli.demo;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What the demo was asked for.
 *
 * @param url the user's own database, or null for an embedded server
 * @param username of the user's own database, or null
 * @param password of the user's own database, or null
 * @param load how long the load lasts
 * @param threads of the load
 * @param poolSize most connections of the load
 * @param connectDelay what each connect of the spike takes longer, to stand for a server that is far away
 * @param besideHikari whether the spike is shown on HikariCP too
 * @param terminal whether a line may be written over
 */
record DemoOptions(
        @Nullable String url,
        @Nullable String username,
        @Nullable String password,
        Duration load,
        int threads,
        int poolSize,
        Duration connectDelay,
        boolean besideHikari,
        boolean terminal) {

    @Override
    public String toString() {
        return "DemoOptions[load=" + load + ", threads=" + threads + ", poolSize=" + poolSize + "]";
    }
}

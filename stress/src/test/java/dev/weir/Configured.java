package dev.weir;

import dev.weir.internal.settings.Settings;

/** Opens the public configuration for tests of the pool's parts. */
public final class Configured {
    private Configured() {}

    public static Settings settings(PoolConfig config, String poolName) {
        return new Settings(config.configuration(), poolName);
    }
}

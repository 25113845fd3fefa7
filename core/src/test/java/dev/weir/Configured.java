package dev.weir;

/** Opens the public configuration for tests of the pool's parts. */
final class Configured {
    private Configured() {}

    static Settings settings(PoolConfig config, String poolName) {
        return new Settings(config.configuration(), poolName);
    }

    static Configuration configuration(PoolConfig config) {
        return config.configuration();
    }
}

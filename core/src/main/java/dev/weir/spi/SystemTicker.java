package dev.weir.spi;

/** Reads {@link System#nanoTime()}. */
final class SystemTicker implements Ticker {
    static final SystemTicker INSTANCE = new SystemTicker();

    private SystemTicker() {}

    @Override
    public long nanos() {
        return System.nanoTime();
    }
}

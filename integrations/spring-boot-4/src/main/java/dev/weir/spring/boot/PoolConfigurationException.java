package dev.weir.spring.boot;

import java.util.List;

/** The properties of a pool are wrong; the message names each. */
public final class PoolConfigurationException extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final String prefix;

    PoolConfigurationException(String prefix, List<String> faults, Throwable cause) {
        super(String.join(System.lineSeparator(), faults), cause);
        this.prefix = prefix;
    }

    /** Returns what the names of the pool's properties begin with. */
    public String prefix() {
        return prefix;
    }
}

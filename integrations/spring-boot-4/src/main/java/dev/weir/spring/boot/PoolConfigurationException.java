package dev.weir.spring.boot;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** The properties of a pool are wrong; the message names each. */
public final class PoolConfigurationException extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final String prefix;

    PoolConfigurationException(String prefix, List<String> faults, @Nullable Throwable cause) {
        super(String.join(System.lineSeparator(), faults), cause);
        this.prefix = prefix;
    }

    /** Returns what the names of the pool's properties begin with; empty where only the pool is known. */
    public String prefix() {
        return prefix;
    }
}

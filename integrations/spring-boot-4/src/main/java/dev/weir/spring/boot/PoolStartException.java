package dev.weir.spring.boot;

import java.sql.SQLException;

/** A pool could not open its first connection; the cause says why. */
public final class PoolStartException extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final String prefix;

    PoolStartException(String prefix, SQLException cause) {
        super(cause.getMessage(), cause);
        this.prefix = prefix;
    }

    /** Returns what the names of the pool's properties begin with. */
    public String prefix() {
        return prefix;
    }
}

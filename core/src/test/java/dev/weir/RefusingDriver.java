package dev.weir;

import java.sql.SQLException;
import java.util.function.Supplier;

/** Fails when it is asked whether it takes a url. */
public final class RefusingDriver extends DenyingDriver {
    public static volatile Supplier<Throwable> failure = IllegalStateException::new;

    @Override
    public boolean acceptsURL(String url) throws SQLException {
        Throwable thrown = failure.get();
        if (thrown instanceof SQLException sql) {
            throw sql;
        }
        throw (RuntimeException) thrown;
    }
}

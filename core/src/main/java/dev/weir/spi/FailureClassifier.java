package dev.weir.spi;

import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * Overrides, for one pool, what a failure means. Asked of the failure, and while it returns null, of each SQLException that
 * caused it: the pool wraps what the driver throws where it can say more. Called from the thread that met the failure,
 * possibly many at once; it must not block and must not throw.
 */
@FunctionalInterface
public interface FailureClassifier {

    /** Returns the class of this failure, or null to leave the decision to the pool's own rules. */
    @Nullable
    FailureClass classify(SQLException failure);
}

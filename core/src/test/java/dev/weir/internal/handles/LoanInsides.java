package dev.weir.internal.handles;

import org.jspecify.annotations.Nullable;

/** The memory of a handle of its loan, for tests that run on the user's own thread. */
public final class LoanInsides {
    private LoanInsides() {}

    /** The bits of {@code Session} that are set. */
    public static int changed(ConnectionHandle handle) {
        return handle.changed;
    }

    /** The number of nodes of the stack of open statements, closed ones included. */
    static int trackedNodes(ConnectionHandle handle) {
        int nodes = 0;
        for (@Nullable Tracked node = handle.open; node != null; node = node.next) {
            nodes++;
        }
        return nodes;
    }
}

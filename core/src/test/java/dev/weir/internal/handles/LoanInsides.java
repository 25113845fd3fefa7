package dev.weir.internal.handles;

import org.jspecify.annotations.Nullable;

/** What a handle remembers of its loan, for tests that run on the user's own thread. */
public final class LoanInsides {
    private LoanInsides() {}

    /** The bits of {@code Session} that are set. */
    public static int changed(ConnectionHandle handle) {
        return handle.changed;
    }

    /** How many nodes the stack of open statements has, closed ones included. */
    static int trackedNodes(ConnectionHandle handle) {
        int nodes = 0;
        for (@Nullable Tracked node = handle.open; node != null; node = node.next) {
            nodes++;
        }
        return nodes;
    }
}

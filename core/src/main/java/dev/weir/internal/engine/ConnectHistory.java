package dev.weir.internal.engine;

import dev.weir.OpenFailure;
import dev.weir.internal.drivers.ConnectFailure;
import dev.weir.spi.Credentials;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What came of the connects of a pool so far. Written by the Keeper, and the last three fields by the job that connects; read by all. */
final class ConnectHistory {
    /** The last connect that failed; and the last ten, the newest first. */
    volatile @Nullable ConnectFailure lastFailure;

    volatile List<OpenFailure> recentFailures = List.of();

    /** Until when an acquire meets the last failure at once instead of waiting: the credentials were refused. */
    volatile long refusedUntilNanos = Long.MIN_VALUE;

    /** When the first connect of all was begun; Long.MAX_VALUE before. And whether one has ended, one way or the other. */
    volatile long firstBegunNanos = Long.MAX_VALUE;

    volatile boolean anyEnded;

    /** When the oldest of the connects under way was begun; Long.MAX_VALUE if none is under way. */
    volatile long oldestConnectNanos = Long.MAX_VALUE;

    /** How many connects that were given up are older than connectTimeout: they are not waited for any more. */
    volatile int hungConnects;

    /** When the first connect of all was handed to the driver; Long.MAX_VALUE before. */
    volatile long firstConnectNanos = Long.MAX_VALUE;

    /** The last answer of the CredentialsProvider. */
    volatile @Nullable Credentials lastGiven;

    /** Some session could write when it was opened. */
    volatile boolean hadWriter;
}

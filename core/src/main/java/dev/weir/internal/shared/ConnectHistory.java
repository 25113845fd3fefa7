package dev.weir.internal.shared;

import dev.weir.OpenFailure;
import dev.weir.internal.slots.PoolClock;
import dev.weir.internal.sources.ConnectFailure;
import dev.weir.spi.Credentials;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The outcome of the connects of a pool so far. Written by the Keeper, and the last four fields by the job that connects; read by all. */
public final class ConnectHistory {
    private static final int FAILURES_REMEMBERED = 10;

    /** The last connect that failed; and the last ten, the newest first. */
    public volatile @Nullable ConnectFailure lastFailure;

    public volatile List<OpenFailure> recentFailures = List.of();

    /** Until when an acquire meets the last failure at once instead of waiting: the credentials were refused. */
    public volatile long refusedUntilNanos = Long.MIN_VALUE;

    /** When the first connect of all was begun; Long.MAX_VALUE before. And whether one has ended, one way or the other. */
    public volatile long firstStartedNanos = Long.MAX_VALUE;

    public volatile boolean anyEnded;

    /** When the oldest of the connects under way was begun; Long.MAX_VALUE if none is under way. */
    public volatile long oldestConnectNanos = Long.MAX_VALUE;

    /**
     * The number of connects that were given up and are older than connectTimeout: they are not waited for any more.
     */
    public volatile int hungConnects;

    /** When the first connect of all was handed to the driver; Long.MAX_VALUE before. */
    public volatile long firstBegunNanos = Long.MAX_VALUE;

    /** The last answer of the CredentialsProvider. */
    public volatile @Nullable Credentials lastGiven;

    /** Some session could write when it was opened. */
    public volatile boolean hadWriter;

    /** When a slow connect was last reported. */
    public volatile long slowSaidNanos = Long.MIN_VALUE / 2;

    /** For how long the oldest connect has been under way; 0 if none is. */
    public long underWayNanos(long now) {
        long since = oldestConnectNanos;
        return since == Long.MAX_VALUE ? 0 : PoolClock.elapsed(now, since);
    }

    /** A connect failed, by the Keeper. */
    public void failed(ConnectFailure failure) {
        lastFailure = failure;
        List<OpenFailure> recent = new ArrayList<>();
        recent.add(new OpenFailure(failure.at(), failure.kind(), failure.text()));
        recent.addAll(recentFailures);
        recentFailures = List.copyOf(recent.subList(0, Math.min(recent.size(), FAILURES_REMEMBERED)));
    }
}

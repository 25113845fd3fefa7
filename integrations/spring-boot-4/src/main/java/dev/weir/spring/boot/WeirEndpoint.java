package dev.weir.spring.boot;

import dev.weir.HeldConnection;
import dev.weir.OpenFailure;
import dev.weir.PoolStats;
import dev.weir.WeirDataSource;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;

/**
 * {@code /actuator/weir}: what the pools do. {@code POST /actuator/weir/{bean}/{action}} acts on one of them, if
 * {@code management.endpoint.weir.access} is {@code unrestricted}, which it is not by default.
 */
@Endpoint(id = "weir", defaultAccess = Access.READ_ONLY)
final class WeirEndpoint {
    private final Pools pools;

    WeirEndpoint(Pools pools) {
        this.pools = pools;
    }

    /** What can be done to a pool. */
    enum Action {
        /** Closes all connections: the idle ones now, those in use when they come home. */
        EVICT,
        /** Lends nothing until it is resumed. */
        SUSPEND,
        /** Lends again. */
        RESUME
    }

    /** One pool: what it does, what it is told to do, who holds what, and what went wrong. */
    record Pool(
            String name,
            String state,
            Counts counts,
            Map<String, Long> retired,
            Map<String, Integer> servers,
            Map<String, String> settings,
            List<Holder> holders,
            List<Failure> lastFailures) {}

    /** The counts of {@link PoolStats}. */
    record Counts(
            int total,
            int inUse,
            int idle,
            int waiting,
            int opening,
            int closing,
            long acquired,
            long timedOut,
            long opened,
            long openFailed) {}

    /** A connection in use. */
    record Holder(
            long connection,
            Instant since,
            long heldMillis,
            String thread,
            String lastSql,
            List<String> stack,
            List<String> acquiredAt) {}

    /** A connect that failed. */
    record Failure(Instant at, String kind, String message) {}

    @ReadOperation
    Map<String, Pool> pools() {
        Map<String, Pool> all = new LinkedHashMap<>();
        pools.all().forEach((bean, pool) -> all.put(bean, describe(pool)));
        return all;
    }

    @ReadOperation
    Pool pool(@Selector String bean) {
        return describe(find(bean));
    }

    @WriteOperation
    Pool act(@Selector String bean, @Selector Action action) {
        WeirDataSource pool = find(bean);
        if (!pool.isRunning()) {
            throw new InvalidEndpointRequestException("pool " + bean + " is " + stateOf(pool), "the pool does not run");
        }
        switch (action) {
            case EVICT -> pool.evictAll();
            case SUSPEND -> pool.suspend();
            case RESUME -> pool.resume();
        }
        return describe(pool);
    }

    private WeirDataSource find(String bean) {
        WeirDataSource pool = pools.all().get(bean);
        if (pool == null) {
            throw new InvalidEndpointRequestException(
                    "no pool " + bean + "; there are " + pools.all().keySet(), "no such pool");
        }
        return pool;
    }

    static String stateOf(WeirDataSource pool) {
        if (pool.isClosed()) {
            return "closed";
        }
        if (!pool.isRunning()) {
            return "not started";
        }
        return pool.isSuspended() ? "suspended" : "running";
    }

    private static Pool describe(WeirDataSource pool) {
        PoolStats stats = pool.stats();
        Map<String, Long> retired = new TreeMap<>();
        stats.retired().forEach((reason, count) -> retired.put(reason.name(), count));
        String name = pool.getPoolName();
        return new Pool(
                name == null ? "" : name,
                stateOf(pool),
                new Counts(
                        stats.total(),
                        stats.inUse(),
                        stats.idle(),
                        stats.waiting(),
                        stats.opening(),
                        stats.closing(),
                        stats.acquired(),
                        stats.timedOut(),
                        stats.opened(),
                        stats.openFailed()),
                retired,
                stats.servers(),
                pool.config().values(),
                pool.held().stream().map(WeirEndpoint::holder).toList(),
                pool.openFailures().stream().map(WeirEndpoint::failure).toList());
    }

    private static Holder holder(HeldConnection held) {
        return new Holder(
                held.id(),
                Instant.now().minus(held.heldFor()),
                held.heldFor().toMillis(),
                String.valueOf(held.thread()),
                held.lastSql() == null ? "" : held.lastSql(),
                held.stack().stream().map(StackTraceElement::toString).toList(),
                held.acquiredAt().stream().map(StackTraceElement::toString).toList());
    }

    private static Failure failure(OpenFailure failure) {
        return new Failure(failure.at(), failure.kind().name(), failure.message());
    }
}

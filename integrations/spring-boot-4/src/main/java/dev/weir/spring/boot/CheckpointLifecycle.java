package dev.weir.spring.boot;

import dev.weir.WeirDataSource;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationContextAware;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.SmartLifecycle;

/**
 * Leaves no socket open while the application is stopped, as it is for a checkpoint (CRaC): a stop suspends the pools and
 * closes their connections, a start resumes them. It stops after, and starts before, whatever may need a connection.
 *
 * <p>The stop that comes with the close of the context does nothing: tasks that are still under way and beans that are destroyed after it may need a
 * connection still. The pools close when they are destroyed themselves, which is later than both the drain of the web
 * server and the end of every bean that depends on them.
 */
class CheckpointLifecycle implements SmartLifecycle, ApplicationContextAware {
    private static final Log LOG = LogFactory.getLog("dev.weir");
    private static final long LOOK_AGAIN_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    private final Pools pools;
    private final Set<WeirDataSource> suspended = ConcurrentHashMap.newKeySet();
    private volatile @Nullable ApplicationContext context;
    private volatile boolean stopped;

    CheckpointLifecycle(Pools pools) {
        this.pools = pools;
    }

    @Override
    public void setApplicationContext(ApplicationContext applicationContext) {
        context = applicationContext;
    }

    /** No event says so in time: an application may have its events told by another thread. */
    private boolean isClosing() {
        return context instanceof ConfigurableApplicationContext closing && closing.isClosed();
    }

    @Override
    public void start() {
        FleetMembers members = pools.members();
        if (members != null) {
            members.resume();
        }
        for (WeirDataSource pool : suspended) {
            if (pool.isRunning()) {
                pool.resume();
            }
        }
        suspended.clear();
        stopped = false;
    }

    @Override
    public void stop() {
        if (isClosing()) {
            return;
        }
        Map<String, WeirDataSource> all = pools.all();
        for (WeirDataSource pool : all.values()) {
            if (pool.isRunning() && !pool.isSuspended()) {
                pool.suspend();
                suspended.add(pool);
            }
        }
        all.forEach(CheckpointLifecycle::empty);
        FleetMembers members = pools.members();
        if (members != null) {
            members.suspend();
        }
        stopped = true;
    }

    /** A connect that was under way when the pool was suspended may still bring a connection: hence again and again. */
    private static void empty(String name, WeirDataSource pool) {
        long deadline = System.nanoTime() + pool.getCloseTimeout().toNanos();
        while (pool.isRunning() && pool.physicalConnections() > 0) {
            pool.evictAll();
            if (System.nanoTime() - deadline > 0 || Thread.currentThread().isInterrupted()) {
                LOG.warn("pool of bean '" + name + "': stopped, but " + pool.physicalConnections()
                        + " connections are still open; held: " + pool.dump());
                return;
            }
            LockSupport.parkNanos(LOOK_AGAIN_NANOS);
        }
    }

    /** Whether there is anything to stop: pools run from their creation, not from a start. */
    @Override
    public boolean isRunning() {
        return !stopped && pools.all().values().stream().anyMatch(WeirDataSource::isRunning);
    }

    /**
     * Not when a test's context is put aside for another one: an in-memory database is gone with its last connection, and the
     * next test of this context would find it empty.
     */
    @Override // since Spring 7
    public boolean isPauseable() {
        return false;
    }

    /** Before everything, but for what asks to be before everything. */
    @Override
    public int getPhase() {
        return Integer.MIN_VALUE + 1024;
    }
}

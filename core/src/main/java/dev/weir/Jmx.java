package dev.weir;

import dev.weir.internal.engine.ConnectionPool;
import dev.weir.internal.settings.Setting;
import dev.weir.internal.text.Log;
import java.lang.System.Logger.Level;
import java.lang.management.ManagementFactory;
import java.util.concurrent.atomic.AtomicReference;
import javax.management.InstanceAlreadyExistsException;
import javax.management.InstanceNotFoundException;
import javax.management.JMException;
import javax.management.ListenerNotFoundException;
import javax.management.MBeanServer;
import javax.management.MBeanServerDelegate;
import javax.management.MBeanServerNotification;
import javax.management.MalformedObjectNameException;
import javax.management.Notification;
import javax.management.NotificationListener;
import javax.management.ObjectName;
import org.jspecify.annotations.Nullable;

/**
 * One pool's place in the platform's MBean server. Where another pool has the name, this one waits, and takes the name when
 * the other has gone. Thread-safe.
 *
 * <p>The server is called without a lock, as it calls listeners of the user. The state says who has to take the bean out: a
 * bean that was registered while {@link #leave} came belongs to the thread that registered it.
 */
final class Jmx implements NotificationListener {
    private static final String MUST_BE_QUOTED = ",=:\"*?\n";

    /** Nothing is registered; the bean is; or the pool has gone. */
    private enum State {
        OUT,
        IN,
        GONE
    }

    private final MBeanServer server = ManagementFactory.getPlatformMBeanServer();
    private final ConnectionPool pool;
    private final ObjectName name;
    private final AtomicReference<State> state = new AtomicReference<>(State.OUT);

    private Jmx(ConnectionPool pool) {
        this.pool = pool;
        this.name = nameOf(pool.settings.poolName());
    }

    static ObjectName nameOf(String poolName) {
        boolean quoted = poolName.chars().anyMatch(c -> MUST_BE_QUOTED.indexOf(c) >= 0);
        try {
            return new ObjectName("dev.weir:type=Pool,name=" + (quoted ? ObjectName.quote(poolName) : poolName));
        } catch (MalformedObjectNameException e) {
            throw new IllegalArgumentException(Setting.POOL_NAME.fault(poolName, "a name that JMX takes"), e);
        }
    }

    /**
     * Registers the pool, now or when its name is free. A pool that cannot be shown works all the same, so that a failure is
     * a warning.
     *
     * @return takes the pool out again
     */
    static Runnable register(ConnectionPool pool) {
        try {
            Jmx place = new Jmx(pool);
            if (!place.take()) {
                place.server.addNotificationListener(MBeanServerDelegate.DELEGATE_NAME, place, null, null);
                if (!place.take()) { // the other one may have gone before this listened
                    Log.log(
                            Level.INFO,
                            "pool ''{0}'': another pool of this name is in JMX; this one follows when that is closed",
                            pool.settings.poolName());
                }
            }
            return place::leave;
        } catch (JMException | RuntimeException e) {
            Log.log(Level.WARNING, "pool ''{0}'': not in JMX: {1}", pool.settings.poolName(), e);
            return () -> {};
        }
    }

    /** Whether there is nothing left to wait for. */
    private boolean take() throws JMException {
        if (state.get() != State.OUT) {
            return true;
        }
        try {
            server.registerMBean(new DescribedMBean(new PoolMBean(pool)), name);
        } catch (InstanceAlreadyExistsException e) {
            return state.get() != State.OUT; // another thread of this pool's may have been faster
        }
        if (!state.compareAndSet(State.OUT, State.IN)) {
            server.unregisterMBean(name);
        }
        return true;
    }

    @Override
    public void handleNotification(Notification notification, @Nullable Object handback) {
        if (notification instanceof MBeanServerNotification news
                && news.getType().equals(MBeanServerNotification.UNREGISTRATION_NOTIFICATION)
                && news.getMBeanName().equals(name)) {
            try {
                if (take()) {
                    stopListening();
                }
            } catch (JMException | RuntimeException e) {
                warn("not in JMX", e);
            }
        }
    }

    private void leave() {
        boolean in = state.getAndSet(State.GONE) == State.IN;
        try {
            stopListening();
            if (in) {
                server.unregisterMBean(name);
            }
        } catch (InstanceNotFoundException e) {
            Log.log(Level.DEBUG, "pool ''{0}'': was taken out of JMX already", pool.settings.poolName());
        } catch (JMException | RuntimeException e) {
            warn("stays in JMX", e);
        }
    }

    private void stopListening() throws JMException {
        try {
            server.removeNotificationListener(MBeanServerDelegate.DELEGATE_NAME, this);
        } catch (ListenerNotFoundException e) {
            // the name was free, or the other thread was faster
        }
    }

    private void warn(String what, Exception why) {
        Log.log(Level.WARNING, "pool ''{0}'': {1}: {2}", pool.settings.poolName(), what, why);
    }
}

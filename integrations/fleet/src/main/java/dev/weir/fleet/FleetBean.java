package dev.weir.fleet;

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
import javax.management.Notification;
import javax.management.NotificationListener;
import javax.management.ObjectName;
import org.jspecify.annotations.Nullable;

/**
 * A member in JMX. Where the member of another pool of its name is there, it waits, and takes the name when that one has gone,
 * as the pools themselves do. Thread-safe: the state says who has to take the bean out.
 */
final class FleetBean implements FleetMXBean, NotificationListener {
    /** Nothing is registered; the bean is; or the member has gone. */
    private enum State {
        OUT,
        IN,
        GONE
    }

    private final MBeanServer server = ManagementFactory.getPlatformMBeanServer();
    private final WeirFleet fleet;
    private final ObjectName name;
    private final AtomicReference<State> state = new AtomicReference<>(State.OUT);

    private FleetBean(WeirFleet fleet) throws JMException {
        this.fleet = fleet;
        this.name = nameOf(fleet);
    }

    /**
     * A member that cannot be shown works all the same.
     *
     * @return takes it out again
     */
    static Runnable register(WeirFleet fleet) {
        if (fleet.pool().isRegisterMbeans()) {
            try {
                FleetBean bean = new FleetBean(fleet);
                if (!bean.take()) {
                    bean.server.addNotificationListener(MBeanServerDelegate.DELEGATE_NAME, bean, null, null);
                    boolean unused = bean.take(); // the other one may have gone before this listened
                }
                return bean::leave;
            } catch (JMException | RuntimeException e) {
                log(fleet, e);
            }
        }
        return () -> {};
    }

    /** Whether there is nothing left to wait for. */
    private boolean take() throws JMException {
        if (state.get() != State.OUT) {
            return true;
        }
        try {
            server.registerMBean(this, name);
        } catch (InstanceAlreadyExistsException e) {
            return state.get() != State.OUT; // another thread of this member's may have been faster
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
                log(fleet, e);
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
            // somebody took it out already
        } catch (JMException | RuntimeException e) {
            log(fleet, e);
        }
    }

    private void stopListening() throws JMException {
        try {
            server.removeNotificationListener(MBeanServerDelegate.DELEGATE_NAME, this);
        } catch (ListenerNotFoundException e) {
            // the name was free, or another thread was faster
        }
    }

    private static void log(WeirFleet fleet, Exception e) {
        System.getLogger(WeirFleet.class.getName())
                .log(
                        Level.WARNING,
                        "fleet: pool ''{0}'' in JMX: {1}",
                        fleet.pool().getPoolName(),
                        e);
    }

    private static ObjectName nameOf(WeirFleet fleet) throws JMException {
        return new ObjectName("dev.weir:type=Fleet,name="
                + ObjectName.quote(fleet.pool().getPoolName()).replaceAll("^\"([\\w.-]+)\"$", "$1"));
    }

    @Override
    public String getFleet() {
        return fleet.stats().fleet();
    }

    @Override
    public String getApplication() {
        return fleet.stats().application();
    }

    @Override
    public String getInstance() {
        return fleet.instance();
    }

    @Override
    public int getGranted() {
        return fleet.stats().granted();
    }

    @Override
    public int getShare() {
        return fleet.stats().share();
    }

    @Override
    public int getWanted() {
        return fleet.stats().wanted();
    }

    @Override
    public int getBudget() {
        return fleet.stats().budget();
    }

    @Override
    public int getFree() {
        return fleet.stats().free();
    }

    @Override
    public int getMembers() {
        return fleet.stats().members();
    }

    @Override
    public long getRenewals() {
        return fleet.stats().renewals();
    }

    @Override
    public long getFailures() {
        return fleet.stats().failures();
    }

    @Override
    public boolean isLeaseHolds() {
        return fleet.stats().leaseHolds();
    }

    @Override
    public @Nullable String getLastFailure() {
        return fleet.stats().lastFailure();
    }
}

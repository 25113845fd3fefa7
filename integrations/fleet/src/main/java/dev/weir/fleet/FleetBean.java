package dev.weir.fleet;

import java.lang.System.Logger.Level;
import java.lang.management.ManagementFactory;
import javax.management.JMException;
import javax.management.ObjectName;
import org.jspecify.annotations.Nullable;

/** A member in JMX. */
record FleetBean(WeirFleet fleet) implements FleetMXBean {

    /** A member that cannot be shown works all the same. */
    static void register(WeirFleet fleet) {
        if (!fleet.pool().isRegisterMbeans()) {
            return;
        }
        try {
            ManagementFactory.getPlatformMBeanServer().registerMBean(new FleetBean(fleet), nameOf(fleet));
        } catch (JMException | RuntimeException e) {
            log(fleet, e);
        }
    }

    static void unregister(WeirFleet fleet) {
        try {
            ObjectName name = nameOf(fleet);
            if (ManagementFactory.getPlatformMBeanServer().isRegistered(name)) {
                ManagementFactory.getPlatformMBeanServer().unregisterMBean(name);
            }
        } catch (JMException | RuntimeException e) {
            log(fleet, e);
        }
    }

    private static void log(WeirFleet fleet, Exception e) {
        System.getLogger(WeirFleet.class.getName())
                .log(Level.WARNING, "fleet: {0} in JMX: {1}", fleet.pool().getPoolName(), e);
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

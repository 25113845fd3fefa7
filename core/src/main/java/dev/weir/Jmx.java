package dev.weir;

import dev.weir.internal.engine.ConnectionPool;
import dev.weir.internal.settings.Setting;
import dev.weir.internal.text.Log;
import java.lang.System.Logger.Level;
import java.lang.management.ManagementFactory;
import javax.management.InstanceNotFoundException;
import javax.management.JMException;
import javax.management.MalformedObjectNameException;
import javax.management.ObjectName;
import org.jspecify.annotations.Nullable;

/** The pool's place in the platform's MBean server. */
final class Jmx {
    private static final String MUST_BE_QUOTED = ",=:\"*?\n";

    private Jmx() {}

    static ObjectName nameOf(String poolName) {
        boolean quoted = poolName.chars().anyMatch(c -> MUST_BE_QUOTED.indexOf(c) >= 0);
        try {
            return new ObjectName("dev.weir:type=Pool,name=" + (quoted ? ObjectName.quote(poolName) : poolName));
        } catch (MalformedObjectNameException e) {
            throw new IllegalArgumentException(Setting.POOL_NAME.fault(poolName, "a name that JMX takes"), e);
        }
    }

    /**
     * Registers the pool. A pool that cannot be shown works all the same, so that a failure, such
     * as a second pool of the same name, is a warning.
     *
     * @return the name to unregister, or null if nothing was registered
     */
    static @Nullable ObjectName register(ConnectionPool pool) {
        ObjectName name = nameOf(pool.settings.poolName());
        try {
            ManagementFactory.getPlatformMBeanServer().registerMBean(new DescribedMBean(new PoolMBean(pool)), name);
            return name;
        } catch (JMException | RuntimeException e) {
            Log.log(Level.WARNING, "pool {0} is not in JMX: {1}", pool.settings.poolName(), e);
            return null;
        }
    }

    /** Unregisters what {@link #register} returned; does nothing the second time. */
    static void unregister(ObjectName name) {
        try {
            ManagementFactory.getPlatformMBeanServer().unregisterMBean(name);
        } catch (InstanceNotFoundException e) {
            Log.log(Level.DEBUG, "{0} was unregistered already", name);
        } catch (JMException e) {
            Log.log(Level.WARNING, "{0} stays in JMX: {1}", name, e);
        }
    }
}

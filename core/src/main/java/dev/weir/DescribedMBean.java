package dev.weir;

import dev.weir.internal.settings.Setting;
import dev.weir.internal.settings.SettingNames;
import dev.weir.internal.settings.SettingType;
import java.util.Map;
import javax.management.MBeanAttributeInfo;
import javax.management.MBeanInfo;
import javax.management.MBeanOperationInfo;
import javax.management.StandardMBean;

/** A {@link PoolMXBean} that says in a console what each of its attributes is, and in which unit. */
final class DescribedMBean extends StandardMBean {
    private static final Map<String, String> TEXTS = Map.ofEntries(
            Map.entry("PoolName", "Name of the pool"),
            Map.entry("Total", "Physical connections that exist"),
            Map.entry("InUse", "Connections in use"),
            Map.entry("Idle", "Connections that could be lent at once"),
            Map.entry("Waiting", "Threads that wait for a connection"),
            Map.entry("Opening", "Connects under way"),
            Map.entry("OldestConnect", "For how long the oldest connect has been under way, in ms; 0: none is"),
            Map.entry("Closing", "Connections being closed, and connects given up that have not ended"),
            Map.entry("Acquired", "Connections lent since the start"),
            Map.entry("TimedOut", "Acquires that timed out since the start"),
            Map.entry("Opened", "Connects that succeeded since the start"),
            Map.entry("OpenFailed", "Connects that failed since the start"),
            Map.entry("Retired", "Connections that the pool closed since the start, by reason"),
            Map.entry("Servers", "Connections to each server, by its own account when they were opened"),
            Map.entry("PoolMode", "For how long a user has a connection of the database"),
            Map.entry("Pinned", "Connections that stayed with their users in the mode transaction, by what held them"),
            Map.entry(
                    "LoanTimes", "Time on loan since the start by what the holders did, while it was measured, in ms"),
            Map.entry(
                    "Places",
                    "Where connections were acquired, by samples: loans, and ms held, waited and the longest"),
            Map.entry("IdlePlaces", "Where holders were seen idle inside a transaction, the commonest first"),
            Map.entry("MostInUse", "The most connections seen in use while the time of loans was measured"),
            Map.entry(
                    "NeededForTransactions",
                    "Connections that would do for what MostInUse do, each lent for a transaction; 0: not known"),
            Map.entry("Advice", "What would serve the pool better, from its last minutes; empty: all is well"),
            Map.entry("LastOpenFailureAt", "When a connect last failed; null: none did"),
            Map.entry("LastOpenFailure", "Message of the last failure to connect; null: none"),
            Map.entry("evictIdle", "Closes the connections that are idle now"),
            Map.entry("evictAll", "Closes all connections: the idle ones now, those in use when they are returned"),
            Map.entry("suspend", "Lends nothing until resume; an acquire waits, within connectionTimeout"),
            Map.entry("resume", "Lends again, after suspend"),
            Map.entry(
                    "Waits",
                    "Acquires that waited since the start, by length: two counts for each power of two from 1024 ns"),
            Map.entry(
                    "Uses",
                    "Loans since the start, as far as they were sampled, by how long they were held: counts as in Waits"),
            Map.entry("Suspended", "Whether it is suspended: an acquire waits until resume"),
            Map.entry("holders", "The connections in use, the longest held first, so many at most"),
            Map.entry("waiters", "The threads that wait for a connection, the longest first, so many at most"),
            Map.entry("recentFailures", "The last ten connects that failed, the newest first"),
            Map.entry("dump", "The holders, since when and with which SQL; one line a connection"));

    DescribedMBean(PoolMXBean pool) {
        super(pool, PoolMXBean.class, true);
    }

    @Override
    protected String getDescription(MBeanInfo info) {
        return "A pool of connections. A new value of an attribute takes effect at once";
    }

    @Override
    protected String getDescription(MBeanAttributeInfo attribute) {
        String name = attribute.getName();
        Setting setting = SettingNames.find(Character.toLowerCase(name.charAt(0)) + name.substring(1));
        if (setting == null || TEXTS.containsKey(name)) {
            return TEXTS.getOrDefault(name, name);
        }
        return setting.doc() + "; " + setting.range() + (setting.type() == SettingType.DURATION ? ", in ms" : "");
    }

    @Override
    protected String getDescription(MBeanOperationInfo operation) {
        return TEXTS.getOrDefault(operation.getName(), operation.getName());
    }
}

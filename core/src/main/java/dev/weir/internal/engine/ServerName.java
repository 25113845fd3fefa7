package dev.weir.internal.engine;

import dev.weir.internal.text.Log;
import dev.weir.internal.waiting.Slot;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;
import java.util.function.ObjLongConsumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Follows the host name in the url. After a failover the name may lead to another server while the old one still answers,
 * so connections to the old one would live until maxLifetime.
 *
 * <p>The Keeper has the name looked up on a helper thread every two seconds; the caches of the JVM count. If two lookups in a
 * row agree on addresses of which a connection knows none, it is renewed, within a few seconds. The order of the addresses
 * does not matter, and an address that is still among them has not changed; a lookup that fails says nothing.
 */
final class ServerName {
    static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(2);
    static final long DRAIN_NANOS = TimeUnit.SECONDS.toNanos(4);

    /** Apart from the class, which every pool loads when it starts. */
    private static final class Patterns {
        /** One host, by name: of several hosts the driver chooses. */
        static final Pattern URL =
                Pattern.compile("jdbc:[^/]+?:(?:thin:)?@?//(?<host>[^/:,;?@\\[\\]()\\s]+)(?::\\d+)?(?:[/;?].*)?");

        static final Pattern LITERAL = Pattern.compile("[0-9.]+|localhost");
    }

    /** Looks a name up; not on a user's thread. */
    interface Resolver {
        Set<InetAddress> addressesOf(String host) throws IOException;
    }

    private final PoolState pool;
    private final @Nullable String url;
    private final Resolver resolver;
    private final Executor helpers;
    private final ObjLongConsumer<Slot> renew;
    private final LongConsumer nudgeKeeper;

    // The Keeper's.
    private @Nullable String host;
    private boolean hostKnown;
    private long nextLookNanos = Long.MIN_VALUE;

    /** A lookup is under way; it also publishes what that wrote. */
    private volatile boolean looking;

    /** The addresses to which the name led when two lookups last agreed, or at the first one; empty before. */
    private volatile Set<InetAddress> known = Set.of();

    private volatile boolean drainDue;

    // Of the lookup under way.
    private Set<InetAddress> first = Set.of();
    private Set<InetAddress> candidate = Set.of();

    /**
     * @param url of which host the name is followed; null for none
     * @param renew replaces a connection from this time on
     * @param nudgeKeeper makes the Keeper's next pass come at this time at the latest
     */
    ServerName(
            PoolState pool,
            @Nullable String url,
            Resolver resolver,
            Executor helpers,
            ObjLongConsumer<Slot> renew,
            LongConsumer nudgeKeeper) {
        this.pool = pool;
        this.url = url;
        this.resolver = resolver;
        this.helpers = helpers;
        this.renew = renew;
        this.nudgeKeeper = nudgeKeeper;
    }

    /** The host name in this url; null if there is none, it is an address, or there are several. */
    static @Nullable String hostOf(@Nullable String url) {
        Matcher parts = url == null ? null : Patterns.URL.matcher(url);
        String host = parts != null && parts.matches() ? parts.group("host") : null;
        return host == null || Patterns.LITERAL.matcher(host).matches() ? null : host;
    }

    /** As the JVM does. */
    static final class OfJvm implements Resolver {
        @Override
        public Set<InetAddress> addressesOf(String host) throws IOException {
            return Set.copyOf(List.of(InetAddress.getAllByName(host)));
        }
    }

    /** What the name led to when a connection was opened just now. */
    Set<InetAddress> known() {
        return known;
    }

    /** The plan of the connections was made anew: what was to be renewed is to be planned again. */
    void planAgain() {
        drainDue = !known.isEmpty();
    }

    /** Looks, by the Keeper; returns when to look again. */
    long look(long now) {
        if (url == null || pool.slots.live() == 0) {
            return Long.MAX_VALUE;
        }
        if (!hostKnown) {
            host = hostOf(url);
            hostKnown = true;
        }
        String name = host;
        if (name == null) {
            return Long.MAX_VALUE;
        }
        if (drainDue) {
            drainDue = false;
            drain(now);
        }
        if (now >= nextLookNanos) {
            nextLookNanos = now + LOOK_NANOS;
            if (!looking) {
                startLookUp(name);
            }
        }
        return nextLookNanos;
    }

    private void startLookUp(String name) {
        boolean handedOver = false;
        looking = true;
        try {
            helpers.execute(new LookUp(name));
            handedOver = true;
        } finally {
            if (!handedOver) {
                looking = false;
            }
        }
    }

    /** A class and not a lambda, as the first comes before the first connection is lent (decision 16). */
    private final class LookUp implements Runnable {
        private final String name;

        LookUp(String name) {
            this.name = name;
        }

        @Override
        public void run() {
            try {
                note(name, resolver.addressesOf(name));
            } catch (IOException | RuntimeException e) {
                candidate = Set.of();
            } finally {
                looking = false;
            }
        }
    }

    private void note(String name, Set<InetAddress> found) {
        Set<InetAddress> before = known;
        if (before.isEmpty()) {
            first = found;
            known = found;
        } else if (found.equals(before)) {
            candidate = Set.of();
        } else if (!found.equals(candidate)) {
            candidate = found;
        } else {
            candidate = Set.of();
            known = found;
            if (Collections.disjoint(before, found)) {
                Log.log(
                        Level.INFO,
                        "pool '" + pool.name() + "': the server's name " + name + " leads to " + found
                                + " now, before to " + before + "; older connections are replaced");
            }
            drainDue = true;
            nudgeKeeper.accept(pool.now());
        }
    }

    /** Not all at once: the new server has to accept them. */
    private void drain(long now) {
        List<Slot> old = new ArrayList<>();
        for (Slot slot : pool.slots.all()) {
            Set<InetAddress> opened = slot.serverAddresses.isEmpty() ? first : slot.serverAddresses;
            if (Collections.disjoint(opened, known)) {
                old.add(slot);
            }
        }
        for (int i = 0; i < old.size(); i++) {
            renew.accept(old.get(i), now + DRAIN_NANOS * i / old.size());
        }
    }
}

package dev.weir.internal.keeping;

import dev.weir.internal.shared.PoolState;
import dev.weir.internal.slots.Slot;
import dev.weir.internal.text.Log;
import dev.weir.internal.working.Workers;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Follows the host name in the url, where the setting {@code followServerName} is on. After a failover the name may lead to
 * another server while the old one still answers, so connections to the old one would live until maxLifetime.
 *
 * <p>The Keeper has the name looked up on a worker every ten seconds; the caches of the JVM count. An address is
 * <em>good</em> until {@value #MISSED} answers in a row were without it, which is five minutes: so addresses that take turns
 * are all good. A lookup that fails is no answer. A connection whose addresses at its opening are all gone is old. Of the old
 * ones one is renewed; the others follow, within a few seconds, once a connection was opened that knows good addresses alone:
 * it proves that another server answers.
 */
public final class ServerName {
    static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(10);
    static final long DRAIN_NANOS = TimeUnit.SECONDS.toNanos(4);
    static final int MISSED = 30;

    /** One host, by name: of several hosts the driver chooses. */
    private static final Pattern ONE_HOST =
            Pattern.compile("jdbc:[^/]+?:(?:thin:)?@?//(?<host>[^/:,;?@\\[\\]()\\s]+)(?::\\d+)?(?:[/;?].*)?");

    private static final Pattern LITERAL = Pattern.compile("[0-9.]+|localhost");

    /** Looks a name up; not on a user's thread. */
    public interface Resolver {
        Set<InetAddress> addressesOf(String host) throws IOException;

        /** As the JVM does. */
        Resolver OF_JVM = host -> Set.copyOf(List.of(InetAddress.getAllByName(host)));
    }

    private final PoolState pool;

    /** The name to follow; null for none. */
    private final @Nullable String host;

    private final Resolver resolver;
    private final Workers workers;

    // The Keeper's.
    private long nextLookNanos = Long.MIN_VALUE;

    /** The good addresses when the last single connection was renewed. */
    private Set<InetAddress> tried = Set.of();

    /** A lookup is under way; it also publishes what that wrote. */
    private volatile boolean looking;

    /** The good addresses; empty before the first answer. */
    private volatile Set<InetAddress> good = Set.of();

    // Of the lookup under way.
    /** The number of answers in a row that were without this address. */
    private final Map<InetAddress, Integer> missed = new HashMap<>();

    private Set<InetAddress> first = Set.of();

    /**
     * @param url of which host the name is followed; null for none
     */
    public ServerName(PoolState pool, @Nullable String url, Resolver resolver, Workers workers) {
        this.pool = pool;
        this.host = pool.settings.followServerName() ? hostOf(url) : null;
        this.resolver = resolver;
        this.workers = workers;
    }

    /** The host name in this url; null if there is none, it is an address, or there are several. */
    static @Nullable String hostOf(@Nullable String url) {
        Matcher parts = url == null ? null : ONE_HOST.matcher(url);
        String host = parts != null && parts.matches() ? parts.group("host") : null;
        return host == null || LITERAL.matcher(host).matches() ? null : host;
    }

    /** The addresses of the name when a connection was opened just now. */
    Set<InetAddress> known() {
        return good;
    }

    /** Looks, by the Keeper; returns when to look again. */
    long resolveName(long now) {
        String name = host;
        if (name == null || pool.slots.live() == 0) {
            return Long.MAX_VALUE;
        }
        if (now >= nextLookNanos) {
            nextLookNanos = now + LOOK_NANOS;
            renewOld(name, now);
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
            workers.execute(() -> lookUp(name));
            handedOver = true;
        } finally {
            if (!handedOver) {
                looking = false;
            }
        }
    }

    private void lookUp(String name) {
        try {
            note(resolver.addressesOf(name));
        } catch (IOException | RuntimeException e) {
            Log.log(Level.DEBUG, "the name of the server could not be looked up", e);
        } finally {
            looking = false;
        }
    }

    private void note(Set<InetAddress> found) {
        missed.replaceAll((address, answers) -> answers + 1);
        found.forEach(address -> missed.put(address, 0));
        missed.values().removeIf(answers -> answers >= MISSED);
        if (first.isEmpty()) {
            first = found;
        }
        good = Set.copyOf(missed.keySet());
    }

    private void renewOld(String name, long now) {
        Set<InetAddress> current = good;
        if (current.isEmpty()) {
            return;
        }
        List<Slot> old = new ArrayList<>();
        boolean proved = false;
        for (Slot slot : pool.slots.all()) {
            Set<InetAddress> opened = slot.serverAddresses.isEmpty() ? first : slot.serverAddresses;
            if (Collections.disjoint(opened, current)) {
                old.add(slot);
            } else {
                proved |= current.containsAll(opened);
            }
        }
        if (proved) {
            for (int i = 0; i < old.size(); i++) { // not all at once: the server has to accept them
                renew(old.get(i), now + DRAIN_NANOS * i / old.size());
            }
        } else if (!old.isEmpty() && !current.equals(tried)) {
            tried = current;
            renew(old.stream().filter(Slot::isIdle).findFirst().orElse(old.get(0)), now);
            workers.say(() -> Log.log(
                    Level.INFO,
                    "pool '" + pool.name() + "': the server's name " + name + " leads to " + current
                            + " now, and to no address that it led to before; one connection of " + old.size()
                            + " is replaced, the others once another server has answered"));
        }
    }

    /** It is replaced from this time on, and goes a second later at the latest. */
    private static void renew(Slot slot, long nanos) {
        slot.lifetime.bringForward(nanos, nanos + TimeUnit.SECONDS.toNanos(1));
    }
}

package dev.weir.lab.report;

import dev.weir.lab.runs.ComparedBy;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** What the report knows of a workload before it sees numbers: what it is, and which of its metrics decide. */
enum Chapter {
    CYCLE(
            "What one cycle costs",
            "Getting a connection and giving it back, and a statement on a held connection, on a driver that does nothing. What is"
                    + " measured is the pool's own share; against a real database every difference shrinks by a round trip.",
            ComparedBy.CYCLE,
            "bytes per op"),
    MIXED(
            "The classic mix",
            "Many threads share one load of connections, statements, parameters, batches and rows on a driver that does nothing but"
                    + " cannot be optimised away. Time per thread; the run with the lowest median counts.",
            ComparedBy.MIXED,
            "mean",
            "max"),
    SPIKE(
            "A crowd comes at once",
            "Everything is quiet, a few connections are idle, connecting is slow and a query is quick. Then many threads come at the"
                    + " same time. A pool that opens a connection for each of them is late, and has the connections afterwards.",
            ComparedBy.SPIKE,
            "connections at end",
            "connections later",
            "mean"),
    BATTLE(
            "A many-tiered application",
            "A closed loop of users, a service with object-relational mapping, a downstream system, connections that expire and"
                    + " must be renewed under load. Are there spikes in the response time?",
            "p50",
            "p99",
            "p99.9",
            "p99.99",
            "max"),
    DOWN(
            "The database goes away and comes back",
            "A real PostgreSQL behind a proxy that breaks. How many users see an error, how long does the longest wait, and how"
                    + " soon is everything as before once the database is back?",
            "user errors",
            "longest get",
            "first success",
            "full rate"),
    FAILOVER(
            "A standby takes over",
            "A real primary and its standby. Users write all the time while the standby takes over. How many writes fail, for how"
                    + " long does nobody write, and when has the last connection left the old server? The longest gap counts from the"
                    + " moment at which the new server takes writes, the raw gap from the failure. Last, many pools come back together"
                    + " after an outage.",
            "failed writes",
            "longest gap",
            "raw gap",
            "read-only lent again",
            "all moved",
            "writes to the old server",
            "all served",
            "all connected",
            "most connects in 10 ms"),
    FLEET(
            "Many JVMs, one server",
            "Each JVM has a pool of its own, and the server has fewer connections than all of them together may want. Bursts"
                    + " move from JVM to JVM, all have the same load, or each JVM is replaced by another. Weir shares one"
                    + " budget; with a size in brackets each pool is by itself, as it is with other pools. The ideal is a"
                    + " server with room for all. 'Moved' is how long a burst waits for all the connections that it can use.",
            "requests",
            "p90",
            "p99",
            "errors",
            "refused connects",
            "most sessions",
            "moved"),
    FAIR(
            "Many threads, few connections",
            "Each thread gets a connection, holds it for a moment, gives it back, and comes again. Throughput says little here: what"
                    + " matters is how long a thread waits, and whether all of them are served.",
            ComparedBy.FAIR,
            "throughput",
            "max",
            "both p99",
            "least",
            "cpu per op"),
    START(
            "The first seconds, and at rest",
            "A pool of ten in a JVM that has just been started: how long its first connection takes, and the first cycles, which are"
                    + " interpreted or hardly compiled; short-lived functions and tests know nothing else. And what the pool is after some"
                    + " seconds of rest: the classes that were loaded for it, its heap, its threads.",
            ComparedBy.START,
            "done",
            "cycles",
            "cpu",
            "classes",
            "heap",
            "threads"),
    CONTRACT("What each pool keeps", "The promises of a connection pool as tests, over every contender.", "kept"),
    GRID(
            "Pool size and server threads",
            "A web service on a real PostgreSQL, every pool size with every number of server threads.",
            "requests",
            "p99"),
    OTHER("Other measurements", "");

    private final String title;
    private final String description;

    @SuppressWarnings("ImmutableEnumChecker") // List.of
    private final List<String> headlines;

    Chapter(String title, String description, String... headlines) {
        this.title = title;
        this.description = description;
        this.headlines = List.of(headlines);
    }

    static Chapter of(String name) {
        return Arrays.stream(values())
                .filter(one -> one.id().equals(name))
                .findFirst()
                .orElse(OTHER);
    }

    String id() {
        return name().toLowerCase(Locale.ROOT);
    }

    String title() {
        return title;
    }

    String description() {
        return description;
    }

    /** The metrics of a case that decide, as they are called there; the first one found is what pools are sorted by. */
    List<String> headlines(Run run, String caseName) {
        List<String> found = headlines.stream()
                .flatMap(wanted -> find(run, caseName, wanted).stream())
                .distinct()
                .toList();
        if (!found.isEmpty()) {
            return found;
        }
        return run.metrics(caseName).stream()
                .filter(metric -> run.better(metric) != Better.NEITHER)
                .limit(1)
                .toList();
    }

    /** Those of all cases. */
    List<String> headlines(Run run) {
        return run.cases().stream()
                .flatMap(caseName -> headlines(run, caseName).stream())
                .distinct()
                .toList();
    }

    /** A metric of this name, else the first that begins so, else the first that contains it. */
    static Optional<String> find(Run run, String caseName, String wanted) {
        List<String> metrics = run.metrics(caseName).stream()
                .filter(metric -> !Tables.isOfWarmUp(metric))
                .toList();
        return metrics.stream()
                .filter(wanted::equals)
                .findFirst()
                .or(() -> metrics.stream().filter(m -> m.startsWith(wanted)).findFirst())
                .or(() -> metrics.stream().filter(m -> m.contains(wanted)).findFirst());
    }
}

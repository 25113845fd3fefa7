package dev.weir.lab.load;

import static io.hyperfoil.http.steps.HttpStepCatalog.SC;

import io.hyperfoil.api.config.Benchmark;
import io.hyperfoil.api.config.BenchmarkBuilder;
import io.hyperfoil.api.config.PhaseBuilder;
import io.hyperfoil.api.connection.Request;
import io.hyperfoil.api.session.Session;
import io.hyperfoil.core.impl.LocalSimulationRunner;
import io.hyperfoil.http.api.HttpMethod;
import io.hyperfoil.http.config.HttpPluginBuilder;
import io.hyperfoil.http.config.Protocol;
import java.net.URI;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Hyperfoil with phases of the same load for each service: first of few clients; then those that warm it up and those that
 * count, in turns, so that a machine that gets slower slows all of them alike, and that a service has come back from a rest
 * before that counts: what it does then for the first time has to be compiled.
 *
 * <p>The phase of few clients is for the service's JIT compiler. It runs on threads like any other, so that where 16 threads and
 * as many backends of a database share two cores it gets a twentieth of them, and a service stays half compiled, and five times
 * as slow, for more than a minute: what is measured then is how little a pool leaves to the compiler.
 *
 * <p>In the open loop a session begins when its request is due, whatever became of earlier ones, and its time runs from
 * then on, also while it waits for one of the connections: a slow answer delays no request and hides none (no coordinated
 * omission). What it cannot see is a pause of the generator's own JVM.
 */
final class Generator {
    private static final int OK = 200;
    private static final int FEW_CLIENTS = 2;

    /** The share of the warm-up that is for few clients. */
    private static final int FEW_TENTHS = 7;

    /** Each costs some kilobytes, in each phase. */
    private static final int MOST_SESSIONS = 20_000;

    private final LoadSpec spec;
    private final Runnable atStart;

    /** Of each service. */
    private final List<Tally> tallies;

    /** Of the phases that count. */
    private final Map<String, Tally> counting = new HashMap<>();

    private @Nullable String lastPhase;

    /** @param atStart is called when the load begins to count */
    Generator(LoadSpec spec, Runnable atStart) {
        this.spec = spec;
        this.atStart = atStart;
        this.tallies = spec.uris().stream().map(uri -> new Tally()).toList();
    }

    /** Makes the load, and returns when it is over: what came of it for each service. */
    List<LoadResult> run() {
        AtomicBoolean counts = new AtomicBoolean();
        new LocalSimulationRunner(
                benchmark(),
                (phase, step, metric, snapshot, done) -> {
                    Tally tally = counting.get(phase.name());
                    if (tally != null) {
                        tally.begun(snapshot.requestCount);
                    }
                },
                null,
                null) {
            @Override
            public void startPhase(String phase) {
                if (counting.containsKey(phase) && counts.compareAndSet(false, true)) {
                    atStart.run();
                }
                super.startPhase(phase);
            }
        }.run();
        return tallies.stream().map(tally -> tally.result(spec)).toList();
    }

    private Benchmark benchmark() {
        BenchmarkBuilder benchmark = BenchmarkBuilder.builder().name("load").threads(spec.threads());
        HttpPluginBuilder http = benchmark
                .addPlugin(HttpPluginBuilder::new)
                .ergonomics()
                .repeatCookies(false)
                .userAgentFromSession(false)
                // An answer other than 200 is counted; by default it would end the session, with a line in the log.
                .autoRangeCheck(false)
                .stopOnInvalid(false)
                .endErgonomics();
        for (URI uri : spec.uris()) {
            http.addHttp(http.decoupledHttp()
                    .protocol(Protocol.HTTP)
                    .host(uri.getHost())
                    .port(port(uri))
                    .allowHttp2(false)
                    .sharedConnections(spec.clients()));
        }
        long few = Math.max(1, spec.warmUpMillis() * FEW_TENTHS / 10);
        for (int service = 0; service < tallies.size(); service++) {
            String name = "few-" + service;
            scenario(name, benchmark.addPhase(name).always(Math.min(FEW_CLIENTS, spec.clients())), service, few);
        }
        long rest = Math.max(1, spec.warmUpMillis() - few);
        int warmUps = (int) Math.max(1, Math.min(spec.turns(), rest / spec.turnMillis()));
        turns("warm-up", warmUps, rest / warmUps, benchmark);
        turns("turn", spec.turns(), spec.turnMillis(), benchmark)
                .forEach((phase, service) -> counting.put(phase, tallies.get(service)));
        return benchmark.build();
    }

    /** The service of each phase, by the phase's name. */
    private Map<String, Integer> turns(String name, int count, long millis, BenchmarkBuilder benchmark) {
        Map<String, Integer> services = new HashMap<>();
        for (int turn = 0; turn < count; turn++) {
            for (int place = 0; place < tallies.size(); place++) {
                int service = (turn + place) % tallies.size();
                String phase = name + "-" + turn + "-" + service;
                services.put(phase, service);
                load(phase, benchmark, service, millis);
            }
        }
        return services;
    }

    private void load(String name, BenchmarkBuilder benchmark, int service, long millis) {
        PhaseBuilder.Catalog phase = benchmark.addPhase(name);
        scenario(
                name,
                spec.rate() == 0
                        ? phase.always(spec.clients())
                        : phase.constantRate(spec.rate()).variance(false).maxSessions(sessions(millis)),
                service,
                millis);
    }

    /** The phase begins when the one before it has ended. */
    private void scenario(String name, PhaseBuilder<?> phase, int service, long millis) {
        URI uri = spec.uris().get(service);
        if (lastPhase != null) {
            phase.startAfterStrict(lastPhase);
        }
        lastPhase = name;
        phase.duration(millis).maxDuration(millis + spec.graceMillis());
        phase.scenario()
                .maxRequests(1)
                .maxSequences(1)
                .initialSequence("request")
                .step(SC)
                .httpRequest(HttpMethod.GET)
                .authority(uri.getHost() + ":" + port(uri))
                .path(path(uri))
                .timeout(Long.toString(millis + spec.graceMillis()) + "ms")
                .handler()
                .status(this::status)
                .onCompletion(this::completed)
                .endHandler()
                .endStep()
                .endSequence()
                .endScenario();
    }

    /** As many as can be due, so that no request is left out because others are slow. */
    private int sessions(long millis) {
        long due = spec.rate() * (millis + spec.graceMillis()) / 1000 + 1;
        return (int) Math.min(MOST_SESSIONS, Math.max(spec.clients(), due));
    }

    private void status(Request request, int status) {
        if (status == OK) {
            return;
        }
        request.markInvalid();
        Tally tally = tally(request.session);
        if (tally != null) {
            tally.refused();
        }
    }

    /** Also of a request whose connection broke: that one is not valid, whatever the status was, if it came at all. */
    private void completed(Session session) {
        Tally tally = tally(session);
        Request request = session.currentRequest();
        if (tally == null || !request.isValid()) {
            return;
        }
        long sinceStart = System.currentTimeMillis() - session.phase().absoluteStartTime();
        tally.served(System.nanoTime() - request.startTimestampNanos(), sinceStart <= spec.turnMillis());
    }

    private @Nullable Tally tally(Session session) {
        return counting.get(session.phase().definition().name());
    }

    private static int port(URI uri) {
        return uri.getPort() < 0 ? Protocol.HTTP.portOrDefault(uri.getPort()) : uri.getPort();
    }

    private static String path(URI uri) {
        String path = uri.getRawPath() == null || uri.getRawPath().isEmpty() ? "/" : uri.getRawPath();
        return uri.getRawQuery() == null ? path : path + "?" + uri.getRawQuery();
    }
}

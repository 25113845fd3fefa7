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

/**
 * Hyperfoil with two phases of the same load, one that warms up and one that counts, and before them one of few clients.
 *
 * <p>That first phase is for the service's JIT compiler. It runs on threads like any other, so that where 16 threads and as many
 * backends of a database share two cores it gets a twentieth of them, and a service stays half compiled, and five times as
 * slow, for more than a minute: what is measured then is how little a pool leaves to the compiler.
 *
 * <p>In the open loop a session begins when its request is due, whatever became of earlier ones, and its time runs from
 * then on, also while it waits for one of the connections: a slow answer delays no request and hides none (no coordinated
 * omission). What it cannot see is a pause of the generator's own JVM.
 */
final class Generator {
    private static final String FEW = "few";
    private static final String WARM_UP = "warm-up";
    private static final String COUNTED = "counted";
    private static final int OK = 200;
    private static final int FEW_CLIENTS = 2;

    /** The share of the warm-up that is for few clients. */
    private static final int FEW_TENTHS = 7;

    /** Each costs some kilobytes, in each phase. */
    private static final int MOST_SESSIONS = 20_000;

    private final LoadSpec spec;
    private final Runnable atStart;
    private final Tally tally = new Tally();

    /** @param atStart is called when the load begins to count */
    Generator(LoadSpec spec, Runnable atStart) {
        this.spec = spec;
        this.atStart = atStart;
    }

    /**
     * Makes the load, and returns when it is over.
     *
     * @throws IllegalStateException if nothing was answered
     */
    LoadResult run() {
        new LocalSimulationRunner(
                benchmark(),
                (phase, step, metric, snapshot, done) -> {
                    if (phase.name().equals(COUNTED)) {
                        tally.counted(snapshot.requestCount, snapshot.responseCount);
                    }
                },
                null,
                null) {
            @Override
            public void startPhase(String phase) {
                if (phase.equals(COUNTED)) {
                    atStart.run();
                }
                super.startPhase(phase);
            }
        }.run();
        LoadResult result = tally.result(spec);
        if (result.requests() + result.non200() == 0) {
            throw new IllegalStateException("no answer from " + spec.uri());
        }
        return result;
    }

    private Benchmark benchmark() {
        URI uri = spec.uri();
        BenchmarkBuilder benchmark = BenchmarkBuilder.builder()
                .name("load")
                .threads(spec.threads())
                .addPlugin(HttpPluginBuilder::new)
                .ergonomics()
                .repeatCookies(false)
                .userAgentFromSession(false)
                // An answer other than 200 is counted; by default it would end the session, with a line in the log.
                .autoRangeCheck(false)
                .stopOnInvalid(false)
                .endErgonomics()
                .http()
                .protocol(Protocol.HTTP)
                .host(uri.getHost())
                .port(uri.getPort() < 0 ? Protocol.HTTP.portOrDefault(uri.getPort()) : uri.getPort())
                .allowHttp2(false)
                .sharedConnections(spec.clients())
                .endHttp()
                .endPlugin();
        long few = spec.warmUpMillis() * FEW_TENTHS / 10;
        scenario(benchmark.addPhase(FEW).always(Math.min(FEW_CLIENTS, spec.clients())), Math.max(1, few));
        load(benchmark.addPhase(WARM_UP), Math.max(1, spec.warmUpMillis() - few))
                .startAfterStrict(FEW);
        load(benchmark.addPhase(COUNTED), spec.millis()).startAfterStrict(WARM_UP);
        return benchmark.build();
    }

    private PhaseBuilder<?> load(PhaseBuilder.Catalog catalog, long millis) {
        PhaseBuilder<?> phase = spec.rate() == 0
                ? catalog.always(spec.clients())
                : catalog.constantRate(spec.rate()).variance(false).maxSessions(sessions(millis));
        return scenario(phase, millis);
    }

    private PhaseBuilder<?> scenario(PhaseBuilder<?> phase, long millis) {
        phase.duration(millis).maxDuration(millis + spec.graceMillis());
        phase.scenario()
                .maxRequests(1)
                .maxSequences(1)
                .initialSequence("request")
                .step(SC)
                .httpRequest(HttpMethod.GET)
                .path(path(spec.uri()))
                .timeout(Long.toString(millis + spec.graceMillis()) + "ms")
                .handler()
                .status((request, status) -> {
                    if (status != OK) {
                        request.markInvalid();
                    }
                })
                .onCompletion(this::completed)
                .endHandler()
                .endStep()
                .endSequence()
                .endScenario();
        return phase;
    }

    /** As many as can be due, so that no request is left out because others are slow. */
    private int sessions(long millis) {
        long due = spec.rate() * (millis + spec.graceMillis()) / 1000 + 1;
        return (int) Math.min(MOST_SESSIONS, Math.max(spec.clients(), due));
    }

    private void completed(Session session) {
        if (!session.phase().definition().name().equals(COUNTED)) {
            return;
        }
        Request request = session.currentRequest();
        if (!request.isValid()) {
            tally.refused();
            return;
        }
        long sinceStart = System.currentTimeMillis() - session.phase().absoluteStartTime();
        tally.served(System.nanoTime() - request.startTimestampNanos(), sinceStart <= spec.millis());
    }

    private static String path(URI uri) {
        String path = uri.getRawPath() == null || uri.getRawPath().isEmpty() ? "/" : uri.getRawPath();
        return uri.getRawQuery() == null ? path : path + "?" + uri.getRawQuery();
    }
}

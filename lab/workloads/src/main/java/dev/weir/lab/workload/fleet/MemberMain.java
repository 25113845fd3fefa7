package dev.weir.lab.workload.fleet;

import dev.weir.WeirDataSource;
import dev.weir.fleet.FleetOptions;
import dev.weir.fleet.WeirFleet;
import dev.weir.lab.contender.Contenders;
import dev.weir.lab.contender.Entrant;
import dev.weir.lab.contender.ExtraClassPath;
import dev.weir.lab.contender.PoolSpec;
import dev.weir.lab.contender.PoolUnderTest;
import dev.weir.lab.contender.Profile;
import dev.weir.lab.runs.ChildMain;
import dev.weir.lab.runs.Json;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.zip.DataFormatException;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * The JVM of one member. It does what its standard input says, a line each, and ends with it.
 *
 * <pre>
 *   load N    N threads keep asking from now on
 *   begin     what was seen is forgotten
 *   report    writes what was seen into its file
 *   leave     drains, closes the pool, writes what was seen, and ends
 * </pre>
 */
final class MemberMain {
    /** Held here, as the logging of the JDK forgets the level of a logger that nobody holds. */
    private static final Logger ROOT = Logger.getLogger("");

    private MemberMain() {}

    /**
     * What a member is told at its start.
     *
     * @param pool a definition
     * @param budget of the fleet that it joins, or 0: it joins none
     */
    record Order(
            String pool,
            List<String> classPath,
            String profile,
            String url,
            int connections,
            long timeoutMillis,
            int budget,
            long leaseMillis,
            String statement) {}

    /** What it says at the end; the histogram is compressed. */
    record Said(long served, Map<String, Long> errors, String waits) {
        Histogram histogram() {
            try {
                return Histogram.decodeFromCompressedByteBuffer(
                        ByteBuffer.wrap(Base64.getDecoder().decode(waits)), 0);
            } catch (DataFormatException e) {
                throw new IllegalStateException("a member's waits cannot be read", e);
            }
        }
    }

    public static void main(String[] args) throws Exception {
        ROOT.setLevel(Level.OFF);
        Order order = Json.read(Path.of(args[0]), Order.class);
        Entrant entrant = Contenders.parse(order.pool(), ExtraClassPath.loader(order.classPath()));
        PoolUnderTest pool = entrant.open(
                PoolSpec.of(order.url(), Site.USER, Site.PASSWORD)
                        .size(0, order.connections())
                        .connectionTimeout(Duration.ofMillis(order.timeoutMillis())),
                Profile.valueOf(order.profile()));
        WeirFleet fleet = order.budget() == 0 ? null : join(pool, order);
        Load load = new Load(pool.dataSource(), order.statement());
        say("joined " + (fleet == null ? "-" : fleet.instance()));
        obey(load, pool, fleet, Path.of(args[1]));
        ChildMain.end(0);
    }

    private static WeirFleet join(PoolUnderTest pool, Order order) throws Exception {
        Duration lease = Duration.ofMillis(order.leaseMillis());
        return WeirFleet.join(
                (WeirDataSource) pool.dataSource(),
                FleetOptions.of("lab", "app")
                        .withBudget(order.budget())
                        .withLease(lease, lease)
                        .withCreateTables(true));
    }

    private static void obey(Load load, PoolUnderTest pool, @Nullable WeirFleet fleet, Path file) throws Exception {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            if (line.startsWith("load ")) {
                load.want(Integer.parseInt(line.substring("load ".length())));
            } else if (line.equals("begin")) {
                load.begin();
            } else if (line.equals("report")) {
                report(load, file);
            } else if (line.equals("leave")) {
                load.drain();
                if (fleet == null) {
                    pool.close();
                } else {
                    fleet.close();
                }
                report(load, file);
                return;
            }
        }
    }

    private static void report(Load load, Path file) throws IOException {
        Load.Report report = load.report();
        ByteBuffer bytes = ByteBuffer.allocate(report.waits().getNeededByteBufferCapacity());
        int length = report.waits().encodeIntoCompressedByteBuffer(bytes);
        String waits = Base64.getEncoder().encodeToString(Arrays.copyOf(bytes.array(), length));
        Json.write(file, new Said(report.served(), report.errors(), waits));
        say("reported");
    }

    private static void say(String line) {
        System.out.println(line);
        System.out.flush();
    }
}

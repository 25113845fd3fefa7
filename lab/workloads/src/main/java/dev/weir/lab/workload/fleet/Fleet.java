package dev.weir.lab.workload.fleet;

import dev.weir.lab.workload.CellRun;
import dev.weir.lab.workload.Sampler;
import dev.weir.lab.workload.Sampler.Sample;
import dev.weir.lab.workload.Settings;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.HdrHistogram.Histogram;

/** The members of one cell, what they are told to do, and what is measured of it. For one thread. */
final class Fleet implements AutoCloseable {
    /** Members that have a burst at a time. */
    private static final int BURSTING = 2;

    /** A load that does not move is measured when it has gone on for so long. */
    private static final long WARMUP_MILLIS = 3000;

    private final CellRun cell;
    private final Settings settings;
    private final Site site;
    private final Sampler<Map<String, Integer>> sampler;
    private final List<Member> members = new ArrayList<>();
    private final List<Member> replaced = new ArrayList<>();
    private final List<Long> moves = new ArrayList<>();
    private int started;

    Fleet(CellRun cell, Site site) throws Exception {
        this.cell = cell;
        this.settings = cell.settings();
        this.site = site;
        this.sampler = new Sampler<>("fleet-sessions", Duration.ofMillis(10), site::sessions);
        try {
            for (int i = 0; i < settings.number("members"); i++) {
                members.add(start());
            }
        } catch (Exception e) {
            close();
            throw e;
        }
    }

    private boolean sharesBudget() {
        return cell.entrant().label().equals("weir");
    }

    private Member start() throws Exception {
        return new Member(cell, site, "member-" + started++, sharesBudget() ? settings.number("places") : 0);
    }

    void run(String load) throws Exception {
        long begin = switch (load) {
            case FleetWorkload.MOVING -> moveBursts();
            case FleetWorkload.DEPLOY -> deploy();
            default -> hold();
        };
        long end = System.nanoTime();
        tell(begin, end);
        tellSessions(sampler.end(), begin, end);
    }

    /** Two members after the other two; when each has been there once, the count begins. */
    private long moveBursts() throws InterruptedException {
        int turns = members.size() / BURSTING;
        long begin = System.nanoTime();
        for (int move = 0; move < turns + settings.number("moves"); move++) {
            if (move == turns) {
                begin = begin();
            }
            for (int i = 0; i < members.size(); i++) {
                members.get(i).want(i / BURSTING == move % turns ? settings.number("threads") : 0);
            }
            moves.add(System.nanoTime());
            TimeUnit.MILLISECONDS.sleep(settings.number("move"));
        }
        moves.subList(0, turns).clear();
        return begin;
    }

    private long hold() throws InterruptedException {
        long begin = loaded();
        TimeUnit.MILLISECONDS.sleep(settings.number("measured"));
        return begin;
    }

    /** A new member is opened and gets its threads, and then the old one drains and ends. */
    private long deploy() throws Exception {
        long begin = loaded();
        for (int i = 0; i < members.size(); i++) {
            Member old = members.get(i);
            replaced.add(old);
            members.set(i, start());
            members.get(i).want(settings.number("even"));
            old.drain();
            old.close();
        }
        return begin;
    }

    private long loaded() throws InterruptedException {
        members.forEach(member -> member.want(settings.number("even")));
        TimeUnit.MILLISECONDS.sleep(WARMUP_MILLIS);
        return begin();
    }

    private long begin() {
        members.forEach(Member::begin);
        return System.nanoTime();
    }

    private void tell(long begin, long end) throws IOException {
        Histogram waits = new Histogram(TimeUnit.MINUTES.toNanos(10), 3);
        Map<String, Long> errors = new TreeMap<>();
        long served = 0;
        for (List<Member> some : List.of(members, replaced)) {
            for (Member member : some) {
                served += member.report(waits, errors);
            }
        }
        cell.measure("requests", served * 1e9 / (end - begin), "1/s");
        for (int percentile : new int[] {50, 90, 99}) {
            cell.millis("p" + percentile, waits.getValueAtPercentile(percentile));
        }
        cell.millis("max", waits.getMaxValue());
        cell.count("errors", errors.values().stream().mapToLong(Long::longValue).sum());
        cell.count("refused connects", site.refused());
        cell.writeErrors(errors);
    }

    private void tellSessions(List<Sample<Map<String, Integer>>> samples, long begin, long end) throws IOException {
        cell.count(
                "most sessions", samples.stream().mapToInt(Fleet::total).max().orElse(0));
        if (!moves.isEmpty()) {
            double[] taken = IntStream.range(0, moves.size())
                    .mapToDouble(move -> movedNanos(samples, move, end))
                    .toArray();
            Arrays.sort(taken);
            cell.millis("moved", taken[taken.length / 2]); // never: NaN, which is sorted last
        }
        List<String> header = new ArrayList<>(List.of("since_begin_ms", "sessions"));
        IntStream.rangeClosed(1, members.size()).forEach(place -> header.add("member_" + place));
        cell.writeRaw("", header, samples.stream().map(sample -> {
            StringBuilder row = new StringBuilder();
            row.append((sample.nanos() - begin) / 1e6).append('\t').append(total(sample));
            for (int place = 0; place < members.size(); place++) {
                int old = place < replaced.size() ? replaced.get(place).sessions(sample.value()) : 0;
                row.append('\t').append(old + members.get(place).sessions(sample.value()));
            }
            return row.toString();
        }));
    }

    private static int total(Sample<Map<String, Integer>> sample) {
        return sample.value().values().stream().mapToInt(Integer::intValue).sum();
    }

    /** How long a burst waited until its members had all the connections that they could use; NaN: for ever. */
    private double movedNanos(List<Sample<Map<String, Integer>>> samples, int move, long end) {
        long from = moves.get(move);
        long to = move + 1 < moves.size() ? moves.get(move + 1) : end;
        int first = move % (members.size() / BURSTING) * BURSTING;
        int each = Math.min(settings.number("connections"), settings.number("threads")) + (sharesBudget() ? 1 : 0);
        return samples.stream()
                .filter(sample -> sample.nanos() >= from && sample.nanos() < to)
                .filter(sample -> members.subList(first, first + BURSTING).stream()
                                .mapToInt(member -> member.sessions(sample.value()))
                                .sum()
                        >= BURSTING * each)
                .mapToDouble(sample -> sample.nanos() - from)
                .findFirst()
                .orElse(Double.NaN);
    }

    @Override
    public void close() throws SQLException {
        sampler.close();
        for (Member member : members) {
            member.want(0);
            member.close();
        }
    }
}

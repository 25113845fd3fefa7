package dev.weir.lab.workload.fleet;

import dev.weir.lab.workload.CellRun;
import dev.weir.lab.workload.Settings;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.HdrHistogram.Histogram;

/** The members of one cell, what they are told to do, and what is measured of it. For one thread. */
final class Fleet implements AutoCloseable {
    /** Members that have a burst at a time. */
    private static final int BURSTING = 2;

    /** A load that does not move is measured when it has gone on for so long. */
    private static final long WARMUP_MILLIS = 3000;

    /** How many members the cost of renewals is reckoned for, and how often all of them together renew at most. */
    private static final int MANY = 200;

    private static final double RENEWALS_OF_MANY = 40;

    private final CellRun cell;
    private final Settings settings;
    private final Site site;
    private final Path folder;
    private final Sessions sessions;
    private final List<Member> members = new ArrayList<>();
    private final List<Member> replaced = new ArrayList<>();
    private final List<Long> moves = new ArrayList<>();
    private int started;

    Fleet(CellRun cell, Site site) throws Exception {
        this.cell = cell;
        this.settings = cell.settings();
        this.site = site;
        this.folder = Files.createTempDirectory("weir-lab-fleet-");
        this.sessions = new Sessions(site);
        try {
            for (int i = 0; i < settings.number("members"); i++) {
                members.add(start());
            }
            for (Member member : members) {
                member.awaitJoined();
            }
        } catch (Exception e) {
            close();
            throw e;
        }
    }

    private boolean sharesBudget() {
        return cell.entrant().label().equals("weir");
    }

    private Member start() throws IOException {
        int number = started++;
        String name = "member-" + number;
        MemberMain.Order order = new MemberMain.Order(
                cell.entrant().definition(),
                cell.classPath(),
                cell.profile().name(),
                sharesBudget() ? site.url() : site.url(name), // a fleet names its sessions itself
                settings.number("connections"),
                settings.number("timeout"),
                sharesBudget() ? settings.number("places") : 0,
                settings.number("lease"),
                "SELECT pg_sleep(" + settings.number("hold") / 1e3 + ")");
        return Member.start(
                order, cell.entrant().contender().jvmOptions(), name, Files.createDirectory(folder.resolve(name)));
    }

    void run(String load) throws Exception {
        List<MemberMain.Said> said = new ArrayList<>();
        long begin;
        switch (load) {
            case FleetWorkload.MOVING -> begin = moveBursts();
            case FleetWorkload.DEPLOY -> begin = deploy(said);
            default -> begin = hold(settings.number(load.equals(FleetWorkload.EVEN) ? "even" : "threads"));
        }
        long end = System.nanoTime();
        for (Member member : members) {
            member.askReport();
        }
        for (Member member : members) {
            said.add(member.report());
        }
        List<Sessions.Sample> samples = sessions.end();
        measure(said, begin, end);
        measureSessions(samples, end);
        if (sharesBudget()) {
            cost((end - begin) / 1e9);
        }
        writeRaw(samples, begin);
    }

    // ------------------------------------------------------------- loads

    /** Two members after the other two; when each has been there once, the count begins. */
    private long moveBursts() throws Exception {
        int turns = members.size() / BURSTING;
        int measured = settings.number("moves");
        long begin = System.nanoTime();
        for (int move = 0; move < turns + measured; move++) {
            if (move == turns) {
                begin = begin();
            }
            int turn = move % turns;
            for (int i = 0; i < members.size(); i++) {
                boolean bursts = i / BURSTING == turn;
                members.get(i).load(bursts ? settings.number("threads") : 0);
            }
            moves.add(System.nanoTime());
            TimeUnit.MILLISECONDS.sleep(settings.number("move"));
        }
        moves.subList(0, turns).clear();
        return begin;
    }

    private long hold(int threads) throws Exception {
        loadAll(threads);
        long begin = begin();
        TimeUnit.MILLISECONDS.sleep(settings.number("measured"));
        return begin;
    }

    private void loadAll(int threads) throws Exception {
        for (Member member : members) {
            member.load(threads);
        }
        TimeUnit.MILLISECONDS.sleep(WARMUP_MILLIS);
    }

    /** The new JVM starts and gets its threads while the old one drains. */
    private long deploy(List<MemberMain.Said> said) throws Exception {
        int threads = settings.number("even");
        loadAll(threads);
        long begin = begin();
        for (int i = 0; i < members.size(); i++) {
            Member old = members.get(i);
            Member fresh = start();
            replaced.add(old);
            members.set(i, fresh);
            fresh.awaitJoined();
            fresh.load(threads);
            old.leave();
            said.add(old.report());
        }
        return begin;
    }

    private long begin() throws Exception {
        try (Statement statement = sessions.connection().createStatement()) {
            Site.forgetStatements(statement);
        }
        for (Member member : members) {
            member.begin();
        }
        return System.nanoTime();
    }

    // ------------------------------------------------------------- measurements

    private void measure(List<MemberMain.Said> said, long begin, long end) throws IOException {
        Histogram waits = new Histogram(TimeUnit.MINUTES.toNanos(10), 3);
        Map<String, Long> errors = new TreeMap<>();
        long served = 0;
        for (MemberMain.Said one : said) {
            waits.add(one.histogram());
            one.errors().forEach((message, count) -> errors.merge(message, count, Long::sum));
            served += one.served();
        }
        cell.measure("requests", served * 1e9 / (end - begin), "1/s");
        for (double percentile : new double[] {50, 90, 99}) {
            cell.measure("p%.0f".formatted(percentile), waits.getValueAtPercentile(percentile) / 1e6, "ms");
        }
        cell.measure("max", waits.getMaxValue() / 1e6, "ms");
        cell.count("errors", errors.values().stream().mapToLong(Long::longValue).sum());
        cell.count("refused connects", site.refused());
        cell.writeErrors(errors);
    }

    private void measureSessions(List<Sessions.Sample> samples, long end) {
        cell.count(
                "most sessions",
                samples.stream().mapToInt(Sessions.Sample::total).max().orElse(0));
        if (!moves.isEmpty()) {
            double[] taken = IntStream.range(0, moves.size())
                    .mapToDouble(move -> movedMillis(samples, move, end))
                    .sorted()
                    .toArray();
            cell.measure("moved", taken[taken.length / 2], "ms"); // never: NaN, which is sorted last
        }
    }

    /** How long a burst waited until its members had all the connections that they could use; NaN: for ever. */
    private double movedMillis(List<Sessions.Sample> samples, int move, long end) {
        long from = moves.get(move);
        long to = move + 1 < moves.size() ? moves.get(move + 1) : end;
        int first = move % (members.size() / BURSTING) * BURSTING;
        int wanted = BURSTING * Math.min(settings.number("connections"), settings.number("threads"));
        return samples.stream()
                .filter(sample -> sample.nanos() >= from && sample.nanos() < to)
                .filter(sample -> IntStream.range(first, first + BURSTING)
                                .map(place -> sample.of(members.get(place).name()))
                                .sum()
                        >= wanted + (sharesBudget() ? BURSTING : 0))
                .mapToDouble(sample -> (sample.nanos() - from) / 1e6)
                .findFirst()
                .orElse(Double.NaN);
    }

    /** What renewals cost the server, of the time of all its processors. */
    private void cost(double seconds) throws SQLException, IOException {
        try (Statement statement = sessions.connection().createStatement()) {
            List<Site.Renewing> all = Site.renewing(statement);
            long renewals = all.stream()
                    .filter(Site.Renewing::locks)
                    .mapToLong(Site.Renewing::calls)
                    .sum();
            double millis = all.stream().mapToDouble(Site.Renewing::workMillis).sum();
            double each = millis / Math.max(1, renewals);
            int processors = Runtime.getRuntime().availableProcessors();
            cell.measure("renewals", renewals / seconds, "1/s");
            cell.measure("cost of a renewal", each * 1e3, "us");
            // Of a second of one processor a millisecond is a tenth of a percent.
            cell.measure("cost %", millis / seconds / 10 / processors, "");
            cell.measure("cost of " + MANY + " members %", RENEWALS_OF_MANY * each / 10 / processors, "");
            cell.writeRaw(
                    "-statements",
                    List.of("calls", "ms", "least_ms", "statement"),
                    all.stream()
                            .map(one -> "%d\t%s\t%s\t%s"
                                    .formatted(
                                            one.calls(),
                                            one.millis(),
                                            one.leastMillis(),
                                            one.text().replaceAll("\\s+", " "))));
        }
    }

    /** Who has how many; the old and the new one of a place together. */
    private void writeRaw(List<Sessions.Sample> samples, long begin) throws IOException {
        int places = members.size();
        List<String> header = new ArrayList<>(List.of("since_begin_ms", "sessions"));
        IntStream.rangeClosed(1, places).forEach(place -> header.add("member_" + place));
        cell.writeRaw("", header, samples.stream().map(sample -> {
            List<String> row = new ArrayList<>();
            row.add(Double.toString((sample.nanos() - begin) / 1e6));
            row.add(Integer.toString(sample.total()));
            for (int place = 0; place < places; place++) {
                int old =
                        place < replaced.size() ? sample.of(replaced.get(place).name()) : 0;
                row.add(Integer.toString(old + sample.of(members.get(place).name())));
            }
            return String.join("\t", row);
        }));
    }

    @Override
    public void close() throws SQLException {
        Stream.concat(members.stream(), replaced.stream()).forEach(Member::close);
        sessions.close();
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).collect(Collectors.toList())) {
                Files.delete(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("the members' files cannot be removed", e);
        }
    }
}

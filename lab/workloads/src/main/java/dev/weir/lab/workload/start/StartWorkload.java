package dev.weir.lab.workload.start;

import dev.weir.lab.contender.Contender;
import dev.weir.lab.contender.Contenders;
import dev.weir.lab.contender.Entrant;
import dev.weir.lab.runs.Child;
import dev.weir.lab.runs.ComparedBy;
import dev.weir.lab.workload.CellRun;
import dev.weir.lab.workload.Lineup;
import dev.weir.lab.workload.Setting;
import dev.weir.lab.workload.Settings;
import dev.weir.lab.workload.Workload;
import dev.weir.testkit.servers.PostgresServer;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A pool in a JVM that has just been started: its first connection, its first cycles; and what it is at rest. */
public final class StartWorkload implements Workload {
    private static final String FIRST = "first seconds";
    private static final String REST = "at rest";
    private static final String ON_POSTGRES = ", PostgreSQL";

    private static final Pattern MEASURED = Pattern.compile("measured ([a-z ]+): (-?\\d+)");
    private static final Duration LIMIT = Duration.ofMinutes(2);

    /** Loggers and their handlers are the application's: none of the pools is to write one line. */
    private static final String SILENT = ".level=OFF\nhandlers=java.util.logging.ConsoleHandler\n";

    @Override
    public String name() {
        return "start";
    }

    @Override
    public String description() {
        return "A pool of 10 in a JVM that has just been started: its first connection and cycles, its classes, heap and threads.";
    }

    @Override
    public List<Setting> settings() {
        return List.of(
                Setting.words("kinds", "what is measured", "first,rest", "first,rest", List.of("first", "rest")),
                Setting.words("drivers", "on which driver", "stub,postgres", "stub", List.of("stub", "postgres")),
                Setting.number("samples", "JVMs that are started for each cell; the median counts", 9, 3, 1, 1_000),
                Setting.number("cycles", "cycles after the first connection", 10_000, 10_000, 1, 1_000_000),
                Setting.number("rest", "time before a pool is at rest, in ms", 12_000, 12_000, 0, 600_000));
    }

    @Override
    public List<String> pools() {
        return Lineup.allBut("none", "raw");
    }

    @Override
    public List<String> cases(Settings settings) {
        List<String> cases = new ArrayList<>();
        for (String driver : settings.words("drivers")) {
            for (String kind : settings.words("kinds")) {
                cases.add((kind.equals("first") ? FIRST : REST) + (driver.equals("stub") ? "" : ON_POSTGRES));
            }
        }
        return cases;
    }

    /** What is told in brackets or defined by a class is set up with lambdas, which would be loaded by then. */
    @Override
    public boolean canRun(String caseName, Entrant entrant, Settings settings) {
        return entrant.parameters().isEmpty()
                && entrant.definition().equals(entrant.contender().name());
    }

    @Override
    public Duration about(String caseName, Settings settings) {
        int jvms = samples(caseName, settings);
        Duration one = caseName.startsWith(REST)
                ? settings.millis("rest").plusMillis(800)
                : Duration.ofMillis(caseName.endsWith(ON_POSTGRES) ? 2_500 : 900);
        return one.multipliedBy(jvms).plusSeconds(caseName.endsWith(ON_POSTGRES) ? 6 : 1);
    }

    @Override
    public Duration limit(Settings settings) {
        return LIMIT.plus(settings.millis("rest")).multipliedBy(settings.number("samples"));
    }

    @Override
    public List<String> shown() {
        return List.of(
                ComparedBy.START,
                "first use",
                "cycles",
                "done",
                "cpu",
                "classes",
                "heap",
                "threads",
                "threads at first");
    }

    @Override
    public List<String> jvmOptions() {
        return List.of("-Xmx128m");
    }

    /** What is at rest differs little from JVM to JVM. */
    private static int samples(String caseName, Settings settings) {
        int samples = settings.number("samples");
        return caseName.startsWith(REST) ? Math.min(2, samples) : samples;
    }

    @Override
    public void run(CellRun cell) throws Exception {
        Path folder = Files.createTempDirectory("weir-start");
        try {
            Files.writeString(folder.resolve("logging.properties"), SILENT);
            if (cell.caseName().endsWith(ON_POSTGRES)) {
                try (PostgresServer server = PostgresServer.launch()) {
                    run(cell, server.jdbcUrl(), folder);
                }
            } else {
                run(cell, "", folder);
            }
        } finally {
            try (Stream<Path> files = Files.list(folder)) {
                for (Path file : files.toList()) {
                    Files.delete(file);
                }
            }
            Files.delete(folder);
        }
    }

    private static void run(CellRun cell, String url, Path folder) throws IOException, InterruptedException {
        List<Map<String, Long>> samples = new ArrayList<>();
        for (int i = 0; i < samples(cell.caseName(), cell.settings()); i++) {
            samples.add(sample(cell, url, folder));
        }
        List<String> names = List.copyOf(samples.get(0).keySet());
        for (String name : names) {
            tell(cell, name, median(samples, name));
        }
        cell.writeRaw(
                "",
                names,
                samples.stream()
                        .map(sample -> names.stream()
                                .map(name -> String.valueOf(sample.get(name)))
                                .collect(Collectors.joining("\t"))));
    }

    private static void tell(CellRun cell, String what, double median) {
        switch (what) {
            case "heap" -> cell.measure(what, median, "bytes");
            case "threads", "threads at first", "classes" -> cell.measure(what, median, "");
            default -> cell.measure(what, median / TimeUnit.MILLISECONDS.toNanos(1), "ms");
        }
    }

    private static double median(List<Map<String, Long>> samples, String name) {
        long[] sorted = samples.stream()
                .mapToLong(sample -> sample.getOrDefault(name, 0L))
                .sorted()
                .toArray();
        int half = sorted.length / 2;
        return sorted.length % 2 == 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2.0;
    }

    private static Map<String, Long> sample(CellRun cell, String url, Path folder)
            throws IOException, InterruptedException {
        boolean atRest = cell.caseName().startsWith(REST);
        Path classes = folder.resolve("classes.log");
        Path log = folder.resolve("child.log");
        List<String> options = new ArrayList<>(
                List.of("-Xmx128m", "-Djava.util.logging.config.file=" + folder.resolve("logging.properties")));
        options.addAll(cell.entrant().contender().jvmOptions());
        if (atRest) {
            options.add("-Xlog:class+load:file=" + classes + ":none");
        }
        Files.deleteIfExists(log);
        Child.Builder builder = Child.jvm(
                        options,
                        classPath(cell.entrant().contender()),
                        StartMain.class.getName(),
                        cell.entrant().contender().name(),
                        cell.profile().name().toLowerCase(Locale.ROOT),
                        url,
                        atRest ? "rest" : "first",
                        cell.settings().text(atRest ? "rest" : "cycles"))
                .log(log);
        try (Child child = builder.start()) {
            child.onExit()
                    .toCompletableFuture()
                    .orTimeout(LIMIT.toMillis(), TimeUnit.MILLISECONDS)
                    .join();
            if (child.exitCode() != 0) {
                throw child.failure("the JVM ended with exit code " + child.exitCode(), null);
            }
        }
        Map<String, Long> numbers = new LinkedHashMap<>();
        Matcher said = MEASURED.matcher(Files.readString(log));
        while (said.find()) {
            numbers.put(said.group(1), Long.parseLong(said.group(2)));
        }
        if (atRest) {
            numbers.put("classes", loaded(Files.readAllLines(classes)));
        }
        return numbers;
    }

    /**
     * The pool first and none of the others, as it is in an application. One of them has a driver, which would be loaded and
     * register its beans wherever drivers are looked for; and each class of a pool is looked for in all that stands before it.
     */
    static String classPath(Contender contender) {
        Set<String> pools =
                Contenders.all().stream().flatMap(StartWorkload::library).collect(Collectors.toSet());
        Stream<String> rest = Arrays.stream(Child.ownClassPath().split(File.pathSeparator, -1))
                .filter(entry -> !pools.contains(real(entry)));
        return Stream.concat(library(contender), rest).collect(Collectors.joining(File.pathSeparator));
    }

    private static Stream<String> library(Contender contender) {
        return Stream.ofNullable(contender.library()).map(library -> real(library.toString()));
    }

    /** A loader tells where a class came from without the links that led there. */
    private static String real(String entry) {
        try {
            return Path.of(entry).toRealPath().toString();
        } catch (IOException e) {
            return entry; // which is not there
        }
    }

    /** How many classes were loaded between the marks; lambdas and what else the JVM makes are classes too. */
    private static long loaded(List<String> log) {
        List<String> names = log.stream()
                .filter(line -> line.contains(" source: "))
                .map(line -> line.substring(0, line.indexOf(' ')))
                .toList();
        return names.indexOf(StartMain.END) - names.indexOf(StartMain.BEGIN) - 1L;
    }
}

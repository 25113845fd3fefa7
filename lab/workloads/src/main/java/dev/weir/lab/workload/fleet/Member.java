package dev.weir.lab.workload.fleet;

import dev.weir.lab.runs.Child;
import dev.weir.lab.runs.Json;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The JVM of a member, as the laboratory sees it. For one thread. */
final class Member implements AutoCloseable {
    private static final Duration LIMIT = Duration.ofSeconds(60);
    /** With both compilers, as in production: a login by password is slow in code that is not compiled well. */
    private static final List<String> OPTIONS = List.of("-Xms64m", "-Xmx64m", "-XX:+UseSerialGC");

    private final Child child;
    private final Path report;
    private final CompletableFuture<Matcher> joined;
    private final CompletableFuture<Matcher> reported;
    private String name;

    private Member(
            Child child,
            String name,
            Path report,
            CompletableFuture<Matcher> joined,
            CompletableFuture<Matcher> reported) {
        this.child = child;
        this.name = name;
        this.report = report;
        this.joined = joined;
        this.reported = reported;
    }

    /**
     * Starts a JVM.
     *
     * @param name what the server shows of its sessions, if it joins no fleet
     * @param folder for its files, which it is to have alone
     */
    static Member start(MemberMain.Order order, List<String> jvmOptions, String name, Path folder) throws IOException {
        Path in = folder.resolve("order.json");
        Path report = folder.resolve("report.json");
        Json.write(in, order);
        List<String> options = new ArrayList<>(OPTIONS);
        options.addAll(jvmOptions);
        Child.Builder builder = Child.jvm(
                        options, Child.ownClassPath(), MemberMain.class.getName(), in.toString(), report.toString())
                .log(folder.resolve("log"));
        CompletableFuture<Matcher> joined = builder.line(Pattern.compile("^joined (.*)$"));
        CompletableFuture<Matcher> reported = builder.line(Pattern.compile("^reported$"));
        return new Member(builder.start(), name, report, joined, reported);
    }

    /** Waits until it may be asked. */
    void awaitJoined() throws IOException, InterruptedException {
        String ofFleet = child.await(joined, LIMIT).group(1);
        name = ofFleet.equals("-") ? name : ofFleet;
    }

    /** Returns how the name ends that the server shows of its sessions. */
    String name() {
        return name;
    }

    void load(int threads) throws IOException, InterruptedException {
        child.tell("load " + threads + "\n");
    }

    /** Has it forget what it has seen. */
    void begin() throws IOException, InterruptedException {
        child.tell("begin\n");
    }

    void askReport() throws IOException, InterruptedException {
        child.tell("report\n");
    }

    /** Has it drain, close its pool, report, and end. */
    void leave() throws IOException, InterruptedException {
        child.tell("leave\n");
    }

    /** Returns what it has seen, when it has said so. */
    MemberMain.Said report() throws IOException, InterruptedException {
        child.await(reported, LIMIT);
        return Json.read(report, MemberMain.Said.class);
    }

    @Override
    public void close() {
        child.close();
    }
}

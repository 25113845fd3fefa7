package dev.weir.fleet.tests;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** The JVM of a member, as the test sees it. It is killed when this is closed, or when this JVM ends. For one thread. */
final class Member implements AutoCloseable {
    private static final long ANSWER_SECONDS = 60;
    private static final String NO_MORE = "";
    private static final Set<Process> RUNNING = ConcurrentHashMap.newKeySet();

    static {
        Runtime.getRuntime()
                .addShutdownHook(new Thread(() -> RUNNING.forEach(Process::destroyForcibly), "members-exit"));
    }

    private final Process process;
    private final BlockingQueue<String> answers = new LinkedBlockingQueue<>();

    /** What a member says of itself; {@code granted} includes its own connection, {@code total} does not. */
    record Status(
            int granted,
            int total,
            int inUse,
            int waiting,
            boolean leaseHolds,
            int members,
            long served,
            long failed,
            long openFailed,
            String more) {}

    private Member(Process process) {
        this.process = process;
        Thread reader = new Thread(this::read, "member-" + process.pid());
        reader.setDaemon(true);
        reader.start();
    }

    /** Starts a JVM; {@link #awaitJoined} says when it is a member. */
    static Member start(Site site, int port, int maximum, String application) {
        List<String> command = List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx48m",
                "-Xss256k",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-XX:-UsePerfData",
                "-cp",
                System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                MemberMain.class.getName(),
                site.url(port),
                Site.USER,
                Site.PASSWORD,
                Integer.toString(maximum),
                Integer.toString(site.budget()),
                Long.toString(site.lease().toMillis()),
                site.holding(),
                application);
        try {
            Process process = new ProcessBuilder(command)
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
            RUNNING.add(process);
            return new Member(process);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot run " + command, e);
        }
    }

    private void read() {
        try (BufferedReader lines =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                answers.add(line);
            }
        } catch (IOException e) {
            answers.add("its output ended: " + e);
        }
        answers.add(NO_MORE);
    }

    void awaitJoined() throws InterruptedException {
        expect("joined ");
    }

    /** Has so many users keep asking, and returns when those that are too many have ended. */
    void load(int users) throws InterruptedException {
        tell("load " + users);
        expect("loaded");
    }

    Status status() throws InterruptedException {
        tell("status");
        String[] parts = next().split(" ", 10);
        return new Status(
                Integer.parseInt(parts[0]),
                Integer.parseInt(parts[1]),
                Integer.parseInt(parts[2]),
                Integer.parseInt(parts[3]),
                Boolean.parseBoolean(parts[4]),
                Integer.parseInt(parts[5]),
                Long.parseLong(parts[6]),
                Long.parseLong(parts[7]),
                Long.parseLong(parts[8]),
                parts[9]);
    }

    /** Tells it to drain and to leave. */
    void beginLeaving() {
        tell("leave");
    }

    /** Waits until it has left, and returns how many of its users failed in all its life, and with what. */
    String awaitLeft() throws InterruptedException {
        String answer = expect("left ");
        if (!process.waitFor(ANSWER_SECONDS, TimeUnit.SECONDS)) {
            throw new AssertionError("a member that has left does not end");
        }
        close();
        return answer;
    }

    /** Kills it at once, as {@code kill -9} does, and returns when it is gone. */
    void kill() throws InterruptedException {
        process.destroyForcibly().waitFor();
        close();
    }

    /** Stops it in the midst of whatever it does, as a long pause of its machine does. */
    void pause() throws InterruptedException {
        signal("-STOP");
    }

    void resume() throws InterruptedException {
        signal("-CONT");
    }

    private void signal(String name) throws InterruptedException {
        try {
            int exit = new ProcessBuilder("kill", name, Long.toString(process.pid()))
                    .inheritIO()
                    .start()
                    .waitFor();
            if (exit != 0) {
                throw new AssertionError("kill " + name + " ended with " + exit);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void tell(String line) {
        try {
            process.getOutputStream().write((line + "\n").getBytes(StandardCharsets.UTF_8));
            process.getOutputStream().flush();
        } catch (IOException e) {
            throw new UncheckedIOException("member " + process.pid() + " is gone", e);
        }
    }

    private String expect(String begin) throws InterruptedException {
        String answer = next();
        if (!answer.startsWith(begin)) {
            throw new AssertionError("member " + process.pid() + ": '" + answer + "' (expected: " + begin + "...)");
        }
        return answer;
    }

    private String next() throws InterruptedException {
        String answer = answers.poll(ANSWER_SECONDS, TimeUnit.SECONDS);
        if (answer == null || answer.equals(NO_MORE)) {
            throw new AssertionError("member " + process.pid() + (answer == null ? " does not answer" : " has ended"));
        }
        return answer;
    }

    @Override
    public void close() {
        process.destroyForcibly();
        RUNNING.remove(process);
    }
}

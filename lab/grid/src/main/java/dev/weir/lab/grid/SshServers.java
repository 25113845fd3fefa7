package dev.weir.lab.grid;

import dev.weir.lab.contender.Contenders;
import dev.weir.lab.runs.Child;
import dev.weir.lab.runs.GridCase;
import dev.weir.lab.service.ServerProcess;
import dev.weir.lab.service.ServerSpec;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Servers on another machine, which has the built project: each is started over ssh, and ends when ssh's standard input
 * does, also when this program dies. The password, and the URL that may hold one, go through that input, where no list of
 * processes shows them.
 */
final class SshServers implements Server.Starter {
    private static final Pattern PID = Pattern.compile("pid=(\\d+)");
    private static final Pattern LISTENING = Pattern.compile("listening pool=\\S+ port=(\\d+) adminPort=\\d+");
    private static final Duration START_LIMIT = Duration.ofMinutes(2);
    private static final Duration ANSWER_LIMIT = Duration.ofSeconds(30);

    /** The kernel's unit of processor time in /proc, 1/100 s on every Linux of today. */
    private static final long TICKS_PER_SECOND = 100;

    private final List<String> ssh;
    private final String address;
    private final String home;
    private final Database database;
    private final List<String> jvmOptions;
    private final Path log;
    private final Duration answerLimit;

    SshServers(ServerSettings.Ssh machine, Database database, List<String> jvmOptions, Path log) {
        this(machine, database, jvmOptions, log, ANSWER_LIMIT);
    }

    /** @param answerLimit how long a question to the machine may take */
    SshServers(ServerSettings.Ssh machine, Database database, List<String> jvmOptions, Path log, Duration answerLimit) {
        this.ssh = List.of(machine.program(), "-o", "BatchMode=yes", machine.host());
        this.address = machine.address();
        this.home = machine.home();
        this.database = database;
        this.jvmOptions = jvmOptions;
        this.log = log;
        this.answerLimit = answerLimit;
    }

    @Override
    public Server start(String pool, GridCase load) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(ssh);
        command.add(script(pool, load));
        Child.Builder server = Child.program(command).log(log);
        CompletableFuture<Matcher> pid = server.line(PID);
        CompletableFuture<Matcher> listening = server.line(LISTENING);
        Child child = server.start();
        boolean isUp = false;
        try {
            String password = database.password();
            child.tell((password == null ? "null" : ServerProcess.scalar(password)) + "\n"
                    + ServerProcess.scalar(database.url(pool)) + "\n");
            long number = Long.parseLong(child.await(pid, START_LIMIT).group(1));
            String port = child.await(listening, START_LIMIT).group(1);
            isUp = true;
            return new Remote(child, number, URI.create("http://" + address + ":" + port + "/"));
        } catch (IOException e) {
            throw new IOException("the server of " + pool + " did not start on " + address + ": " + e.getMessage(), e);
        } finally {
            if (!isUp) {
                child.close();
            }
        }
    }

    private String script(String pool, GridCase load) {
        String options = Stream.concat(Contenders.parse(pool).contender().jvmOptions().stream(), jvmOptions.stream())
                .map(SshServers::quoted)
                .collect(Collectors.joining(" "));
        String user = database.user();
        String yaml = ServerSpec.of(pool, database.url(pool), load.size(), load.threads())
                .onEqualTerms()
                .configuration();
        return "cd " + quoted(home) + " && IFS= read -r password && IFS= read -r url && export password url"
                + " user=" + quoted(user == null ? "null" : ServerProcess.scalar(user))
                + " pool=" + quoted(ServerProcess.scalar(pool)) + " poolSize=" + load.size() + " maxThreads="
                + load.threads()
                + " port=0 adminPort=0 bindHost=" + quoted(address)
                + " && echo pid=$$ && exec java " + options + " -Dweir.service.stopAtEof=true"
                + " -cp \"lab/service/target/classes:$(cat lab/service/target/class-path.txt)\""
                + " dev.weir.lab.service.app.QuestionsApplication server " + quoted(yaml);
    }

    /** As a word of the shell over there. */
    private static String quoted(String text) {
        return "'" + text.replace("'", "'\\''") + "'";
    }

    private final class Remote implements Server {
        private final Child child;
        private final long pid;
        private final URI uri;

        Remote(Child child, long pid, URI uri) {
            this.child = child;
            this.pid = pid;
            this.uri = uri;
        }

        @Override
        public URI uri() {
            return uri;
        }

        /** From /proc over there, so Linux alone. */
        @Override
        public Duration cpu() throws IOException, InterruptedException {
            List<String> command = new ArrayList<>(ssh);
            command.add("cat /proc/" + pid + "/stat");
            Process asked = new ProcessBuilder(command)
                    .redirectError(ProcessBuilder.Redirect.appendTo(log.toFile()))
                    .start();
            try {
                asked.getOutputStream().close();
                if (!asked.waitFor(answerLimit.toMillis(), TimeUnit.MILLISECONDS) || asked.exitValue() != 0) {
                    throw new IOException("the processor time of the server cannot be read on " + address);
                }
                return cpuOf(new String(asked.getInputStream().readAllBytes(), StandardCharsets.UTF_8));
            } finally {
                asked.destroyForcibly();
            }
        }

        /** ssh ends with the command that it runs over there. */
        @Override
        public void requireRunning() throws IOException {
            if (!child.handle().isAlive()) {
                throw child.failure(ENDED, null);
            }
        }

        @Override
        public void close() {
            child.close();
        }
    }

    /** User and system time from a line of /proc/PID/stat: the 14th and 15th field; the name, the 2nd, may hold blanks. */
    static Duration cpuOf(String line) {
        String[] fields = line.substring(line.lastIndexOf(')') + 2).split(" ", -1);
        long ticks = Long.parseLong(fields[11]) + Long.parseLong(fields[12]);
        return Duration.ofMillis(ticks * 1000 / TICKS_PER_SECOND);
    }
}

package dev.weir.lab.grid;

import dev.weir.lab.runs.GridCase;
import dev.weir.lab.service.ServerProcess;
import dev.weir.lab.service.ServerSpec;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** Servers on this machine, each in a JVM of its own. */
final class LocalServers implements Server.Starter {
    private final Database database;
    private final List<String> jvmOptions;
    private final Path log;

    LocalServers(Database database, List<String> jvmOptions, Path log) {
        this.database = database;
        this.jvmOptions = jvmOptions;
        this.log = log;
    }

    @Override
    public Server start(String pool, GridCase load) throws IOException, InterruptedException {
        ServerProcess process = ServerProcess.start(ServerSpec.of(pool, database.url(pool), load.size(), load.threads())
                .onEqualTerms()
                .withCredentials(database.user(), database.password())
                .withJvmOptions(jvmOptions)
                .withLog(log));
        return new Server() {
            @Override
            public URI uri() {
                return process.uri();
            }

            @Override
            public Duration cpu() throws IOException {
                return process.handle()
                        .info()
                        .totalCpuDuration()
                        .orElseThrow(() -> new IOException("the server has ended"));
            }

            @Override
            public void requireRunning() throws IOException {
                if (!process.handle().isAlive()) {
                    throw new IOException(ENDED + process.endOfLog());
                }
            }

            @Override
            public void close() {
                process.close();
            }
        };
    }
}

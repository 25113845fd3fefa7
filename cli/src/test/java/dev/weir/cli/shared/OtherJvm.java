package dev.weir.cli.shared;

import dev.weir.PoolConfig;
import dev.weir.WeirDataSource;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.util.concurrent.TimeUnit;

/** A JVM of its own to attach to: with a pool named orders, of which it holds a connection, or with none. */
public final class OtherJvm implements AutoCloseable {
    public final Process process;

    public OtherJvm(boolean withPool) throws IOException {
        process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx64m",
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                        OtherJvm.class.getName(),
                        Boolean.toString(withPool))
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        String said = new String(process.getInputStream().readNBytes("ready".length()), StandardCharsets.UTF_8);
        if (!said.equals("ready")) {
            process.destroyForcibly();
            throw new IOException("it did not begin: " + said);
        }
    }

    public long pid() {
        return process.pid();
    }

    /** Until its input ends, as when the JVM that started it has gone. */
    public static void main(String[] args) throws Exception {
        if (args[0].equals("false")) {
            System.out.print("ready");
            System.out.flush();
            System.in.read();
            return;
        }
        try (WeirDataSource pool = new WeirDataSource(PoolConfig.builder()
                        .url("jdbc:h2:mem:watched")
                        .poolName("orders")
                        .maximumPoolSize(5)
                        .minimumPoolSize(2)
                        .build());
                Connection held = pool.getConnection()) {
            held.createStatement().execute("SELECT 4711 + 1");
            System.out.print("ready");
            System.out.flush();
            System.in.read();
        }
    }

    @Override
    public void close() throws IOException, InterruptedException {
        process.getOutputStream().close();
        if (!process.waitFor(20, TimeUnit.SECONDS)) {
            process.destroyForcibly();
        }
    }
}

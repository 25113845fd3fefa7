package dev.weir.lab.grid;

import dev.weir.lab.workload.Settings;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Where and how the servers of a run are started.
 *
 * @param jvmOptions of their JVM
 * @param ssh the other machine that they run on, or null for this one
 */
record ServerSettings(List<String> jvmOptions, @Nullable Ssh ssh) {

    /**
     * Another machine.
     *
     * @param host as ssh takes it, such as {@code lab@db1}
     * @param address where the servers listen there, and are reached from here
     * @param home the project's folder over there
     * @param program what is started as ssh
     */
    record Ssh(String host, String address, String home, String program) {}

    /** @throws IllegalArgumentException naming the setting that does not fit the others */
    static ServerSettings of(Settings settings) {
        List<String> options = Arrays.stream(settings.text("jvm-options").split("\\s+"))
                .filter(option -> !option.isEmpty())
                .toList();
        String host = settings.text("ssh");
        if (host.isEmpty()) {
            return new ServerSettings(options, null);
        }
        if (settings.text("url").isEmpty()) {
            throw new IllegalArgumentException(
                    "--ssh: needs --url, a database that the other machine reaches; the embedded one listens on"
                            + " 127.0.0.1 alone");
        }
        String address = settings.text("ssh-address");
        String reached = address.isEmpty() ? host.substring(host.lastIndexOf('@') + 1) : address;
        if (!isHostOfUrl(reached)) {
            throw new IllegalArgumentException("--ssh-address: " + reached
                    + " (expected: a host as a URL has it; without the option it is that of --ssh)");
        }
        String home = settings.text("ssh-home");
        return new ServerSettings(
                options,
                new Ssh(
                        host,
                        reached,
                        home.isEmpty()
                                ? Path.of(System.getProperty("weir.home", ""))
                                        .toAbsolutePath()
                                        .toString()
                                : home,
                        settings.text("ssh-program")));
    }

    private static boolean isHostOfUrl(String address) {
        try {
            return address.equals(new URI("http://" + address + ":1/").getHost());
        } catch (URISyntaxException e) {
            return false;
        }
    }
}

package dev.weir.lab.service;

import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a server is started with.
 *
 * @param pool its name in the laboratory
 * @param configuration its YAML: a file, or one of those that come with it
 * @param url of the database
 * @param user of the database, or null if the url says it
 * @param password of that user, or null for none
 * @param poolSize connections of the pool, at least and at most
 * @param maxThreads threads that answer requests; Jetty's own come on top
 * @param port on 127.0.0.1, or 0 for any free one
 * @param adminPort on 127.0.0.1, or 0 for any free one
 * @param jvmOptions such as {@code -Xmx512m}
 * @param log where the server's log goes, or null for this process's standard error
 */
public record ServerSpec(
        String pool,
        String configuration,
        String url,
        @Nullable String user,
        @Nullable String password,
        int poolSize,
        int maxThreads,
        int port,
        int adminPort,
        List<String> jvmOptions,
        @Nullable Path log) {

    /** Sets up all pools of the laboratory alike. */
    private static final String FOR_ALL = "contender.yml";

    /** The pools that have a YAML of their own. */
    private static final Set<String> OWN_YAML = Set.of("weir", "hikari", "tomcat");

    /**
     * A server of this pool on free ports, as one would set it up in Dropwizard; its user in the url, its log on standard
     * error.
     */
    public static ServerSpec of(String pool, String url, int poolSize, int maxThreads) {
        String yaml = OWN_YAML.contains(pool) ? pool + ".yml" : FOR_ALL;
        return new ServerSpec(pool, yaml, url, null, null, poolSize, maxThreads, 0, 0, List.of(), null);
    }

    /** The same on equal terms with other pools: each as safe as it can be told to be, and none with metrics. */
    public ServerSpec onEqualTerms() {
        return withConfiguration(FOR_ALL);
    }

    /** The same with this user and password. */
    public ServerSpec withCredentials(@Nullable String newUser, @Nullable String newPassword) {
        return new ServerSpec(
                pool, configuration, url, newUser, newPassword, poolSize, maxThreads, port, adminPort, jvmOptions, log);
    }

    /** The same on these ports. */
    public ServerSpec withPorts(int newPort, int newAdminPort) {
        return new ServerSpec(
                pool, configuration, url, user, password, poolSize, maxThreads, newPort, newAdminPort, jvmOptions, log);
    }

    /** The same with these options of the JVM. */
    public ServerSpec withJvmOptions(List<String> options) {
        return new ServerSpec(
                pool,
                configuration,
                url,
                user,
                password,
                poolSize,
                maxThreads,
                port,
                adminPort,
                List.copyOf(options),
                log);
    }

    /** The same with its log in this file. */
    public ServerSpec withLog(Path file) {
        return new ServerSpec(
                pool, configuration, url, user, password, poolSize, maxThreads, port, adminPort, jvmOptions, file);
    }

    /** The same with this YAML. */
    public ServerSpec withConfiguration(String newConfiguration) {
        return new ServerSpec(
                pool, newConfiguration, url, user, password, poolSize, maxThreads, port, adminPort, jvmOptions, log);
    }

    @Override
    public String toString() {
        return "ServerSpec[" + pool + ", " + configuration + ", poolSize=" + poolSize + ", maxThreads=" + maxThreads
                + "]";
    }
}

package dev.weir.lab.service;

import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A server that is to be started; a setter returns this object. Not thread-safe. */
public final class ServerSpec {
    /** Sets up all pools of the laboratory alike. */
    private static final String FOR_ALL = "contender.yml";

    final String pool;
    final String url;
    final int poolSize;
    final int maxThreads;
    String configuration;

    @Nullable
    String user;

    @Nullable
    String password;

    int port;
    int adminPort;
    List<String> jvmOptions = List.of();

    @Nullable
    Path log;

    private ServerSpec(String pool, String configuration, String url, int poolSize, int maxThreads) {
        this.pool = pool;
        this.configuration = configuration;
        this.url = url;
        this.poolSize = poolSize;
        this.maxThreads = maxThreads;
    }

    /**
     * A server on free ports, its log on standard error: Weir as one would set it up in Dropwizard, any other pool on equal terms.
     *
     * @param pool its name in the laboratory
     * @param url of the database
     * @param poolSize connections of the pool, at least and at most
     * @param maxThreads threads that answer requests; Jetty's own come on top
     */
    public static ServerSpec of(String pool, String url, int poolSize, int maxThreads) {
        return new ServerSpec(pool, pool.equals("weir") ? "weir.yml" : FOR_ALL, url, poolSize, maxThreads);
    }

    /** On equal terms with other pools: each as safe as it can be told to be, and none with metrics. */
    public ServerSpec onEqualTerms() {
        return withConfiguration(FOR_ALL);
    }

    /** With this user of the database, or null if the url says it, and this password, or null for none. */
    public ServerSpec withCredentials(@Nullable String newUser, @Nullable String newPassword) {
        user = newUser;
        password = newPassword;
        return this;
    }

    /** On these ports of 127.0.0.1; 0: any free one. */
    public ServerSpec withPorts(int newPort, int newAdminPort) {
        port = newPort;
        adminPort = newAdminPort;
        return this;
    }

    /** With these options of the JVM. */
    public ServerSpec withJvmOptions(List<String> options) {
        jvmOptions = List.copyOf(options);
        return this;
    }

    /** With its log in this file. */
    public ServerSpec withLog(Path file) {
        log = file;
        return this;
    }

    /** With this YAML: a file, or one of those that come with the service. */
    public ServerSpec withConfiguration(String yaml) {
        configuration = yaml;
        return this;
    }

    @Override
    public String toString() {
        return "ServerSpec[" + pool + ", " + configuration + ", poolSize=" + poolSize + ", maxThreads=" + maxThreads
                + "]";
    }
}

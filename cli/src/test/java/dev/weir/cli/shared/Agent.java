package dev.weir.cli.shared;

import java.io.IOException;
import java.io.Serializable;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.rmi.server.RMIServerSocketFactory;
import java.util.Map;
import java.util.Set;
import javax.management.remote.JMXAuthenticator;
import javax.management.remote.JMXConnectorServer;
import javax.management.remote.JMXConnectorServerFactory;
import javax.management.remote.JMXPrincipal;
import javax.management.remote.JMXServiceURL;
import javax.security.auth.Subject;

/** A JMX agent of this JVM, on the loopback address and any free port, that asks for a password: {@code monitor} may act, {@code reader} may not. */
public final class Agent implements AutoCloseable {
    public static final String PASSWORD = "hush-hush-4711";

    private final JMXConnectorServer server;

    public Agent() throws IOException {
        System.setProperty("java.rmi.server.hostname", "127.0.0.1");
        JMXAuthenticator authenticator = given -> {
            String[] credentials = (String[]) given;
            if (credentials == null || !credentials[0].matches("monitor|reader") || !credentials[1].equals(PASSWORD)) {
                throw new SecurityException("who are you?");
            }
            return new Subject(true, Set.of(new JMXPrincipal(credentials[0])), Set.of(), Set.of());
        };
        Path access = Files.writeString(
                Files.createTempFile("weir", ".access"),
                "monitor readwrite\nreader readonly\n",
                StandardCharsets.UTF_8);
        server = JMXConnectorServerFactory.newJMXConnectorServer(
                new JMXServiceURL("rmi", "127.0.0.1", 0),
                Map.of(
                        "jmx.remote.rmi.server.socket.factory",
                        new Loopback(),
                        "jmx.remote.x.access.file",
                        access.toString(),
                        JMXConnectorServer.AUTHENTICATOR,
                        authenticator),
                ManagementFactory.getPlatformMBeanServer());
        server.start();
        Files.delete(access);
    }

    private static final class Loopback implements RMIServerSocketFactory, Serializable {
        private static final long serialVersionUID = 1;

        @Override
        public ServerSocket createServerSocket(int port) throws IOException {
            return new ServerSocket(port, 50, InetAddress.getLoopbackAddress());
        }
    }

    public String url() {
        return server.getAddress().toString();
    }

    @Override
    public void close() throws IOException {
        server.stop();
    }
}

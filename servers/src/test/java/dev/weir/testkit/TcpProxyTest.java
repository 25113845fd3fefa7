package dev.weir.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.weir.testkit.servers.ThreadsLeft;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class TcpProxyTest {

    private static final Duration SOON = Duration.ofSeconds(10);

    private ServerSocket echoServer;
    private TcpProxy proxy;

    @BeforeEach
    void start() throws IOException {
        echoServer = new ServerSocket(0, 50, InetAddress.getByAddress(new byte[] {127, 0, 0, 1}));
        startDaemon(this::serve);
        proxy = new TcpProxy("127.0.0.1", echoServer.getLocalPort());
    }

    @AfterEach
    void stop() throws IOException {
        proxy.close();
        proxy.close();
        echoServer.close();
        ThreadsLeft.assertNone("weir-proxy-" + proxy.port(), SOON);
        ThreadsLeft.assertNone("echo-test", SOON);
    }

    @Test
    void passesBytesAndCountsConnections() throws IOException {
        try (Socket first = connect();
                Socket second = connect()) {
            assertThat(echo(first, 7)).isEqualTo(7);
            assertThat(echo(second, 8)).isEqualTo(8);
            assertThat(proxy.accepted()).isEqualTo(2);
            assertThat(proxy.open()).isEqualTo(2);
        }
        Await.await("both are gone", SOON, () -> proxy.open() == 0);
    }

    @Test
    void countsARoundTripWhenTheClientSpeaksAfterAnAnswer() throws IOException {
        try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getByAddress(new byte[] {127, 0, 0, 1}));
                TcpProxy between = new TcpProxy("127.0.0.1", silent.getLocalPort());
                Socket client = new Socket(InetAddress.getLoopbackAddress(), between.port());
                Socket server = silent.accept()) {
            for (int trip = 1; trip <= 3; trip++) {
                for (int piece = 0; piece < 2; piece++) {
                    client.getOutputStream().write(piece);
                    assertThat(server.getInputStream().read()).isEqualTo(piece);
                }
                assertThat(between.roundTrips()).isEqualTo(trip);
                server.getOutputStream().write(trip);
                assertThat(client.getInputStream().read()).isEqualTo(trip);
            }
        }
    }

    @Test
    void hasAnotherAddressWithTheSamePortAndCountsConnectionsByTheirTarget() throws IOException {
        assumeTrue(System.getProperty("os.name").startsWith("Linux"), "other systems have 127.0.0.1 alone");
        try (TcpProxy second = new TcpProxy("127.0.0.2", proxy.port(), "127.0.0.1", echoServer.getLocalPort());
                Socket socket = new Socket("127.0.0.2", second.port())) {
            assertThat(second.port()).isEqualTo(proxy.port());
            assertThat(echo(socket, 7)).isEqualTo(7);
            second.retarget("127.0.0.1", 1);
            assertThat(second.openTo(echoServer.getLocalPort())).isEqualTo(1);
            assertThat(second.openTo(1)).isZero();
            assertThat(proxy.open()).isZero();
        }
        assertThatThrownBy(() -> new TcpProxy("192.0.2.1", 0, "127.0.0.1", 1))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void resetsEveryConnection() throws IOException {
        try (Socket socket = connect()) {
            echo(socket, 1);
            proxy.resetAll();
            assertThatThrownBy(() -> socket.getInputStream().read()).isInstanceOf(SocketException.class);
            assertThat(proxy.open()).isZero();
        }
        try (Socket next = connect()) {
            assertThat(echo(next, 2)).isEqualTo(2);
        }
    }

    @Test
    void sparesAsManyAsItIsTold() throws IOException {
        try (Socket first = connect();
                Socket second = connect()) {
            echo(first, 1);
            echo(second, 2);
            proxy.spare(1);
            proxy.resetAll();
            assertThat(proxy.open()).isOne();
            proxy.spare(0);
            proxy.finishAll();
            assertThat(proxy.open()).isZero();
        }
    }

    @Test
    void closesEveryConnectionInOrder() throws IOException {
        try (Socket socket = connect()) {
            echo(socket, 1);
            proxy.finishAll();
            assertThat(socket.getInputStream().read()).isEqualTo(-1);
            assertThat(proxy.open()).isZero();
        }
        try (Socket next = connect()) {
            assertThat(echo(next, 2)).isEqualTo(2);
        }
    }

    @Test
    void closesThoseThatAreOpenAfterSomeMoreBytes() throws IOException {
        try (Socket socket = connect()) {
            echo(socket, 1);
            proxy.finishOpenAfter(2);
            assertThat(echo(socket, 2)).isEqualTo(2);
            assertThat(echo(socket, 3)).isEqualTo(3);
            assertThat(socket.getInputStream().read()).isEqualTo(-1);
        }
        try (Socket next = connect()) {
            for (int i = 0; i < 5; i++) {
                assertThat(echo(next, i)).isEqualTo(i);
            }
        }
    }

    @Test
    void forgetsThoseThatAreOpenAndPassesNewOnes() throws IOException {
        try (Socket socket = connect()) {
            echo(socket, 1);
            proxy.forgetOpen();
            socket.setSoTimeout(50);
            assertThatThrownBy(() -> echo(socket, 2)).isInstanceOf(SocketTimeoutException.class);
            try (Socket next = connect()) {
                assertThat(echo(next, 2)).isEqualTo(2);
            }
        }
    }

    @Test
    void swallowsBytesInTheBlackHoleAndNeverRevivesSuchAConnection() throws IOException {
        try (Socket socket = connect()) {
            echo(socket, 1);
            proxy.blackHole();
            socket.setSoTimeout(50);
            assertThatThrownBy(() -> echo(socket, 2)).isInstanceOf(SocketTimeoutException.class);
            try (Socket late = connect()) {
                late.setSoTimeout(50);
                assertThatThrownBy(() -> echo(late, 2)).isInstanceOf(SocketTimeoutException.class);
            }
            proxy.pass();
            socket.setSoTimeout(10_000);
            assertThatThrownBy(() -> echo(socket, 3)).isInstanceOf(SocketException.class);
        }
    }

    @Test
    void refusesAndAcceptsOnTheSamePort() throws IOException {
        try (Socket open = connect()) {
            echo(open, 1);
            proxy.refuse();
            assertThatThrownBy(() -> connect().close()).isInstanceOf(ConnectException.class);
            assertThat(echo(open, 2)).isEqualTo(2);
        }
        proxy.accept();
        try (Socket again = connect()) {
            assertThat(echo(again, 3)).isEqualTo(3);
        }
    }

    @Test
    void turnsNewConnectionsAwayAndCountsThem() throws IOException {
        try (Socket open = connect()) {
            echo(open, 1);
            proxy.turnAway();
            assertThatThrownBy(() -> {
                        try (Socket late = connect()) {
                            if (echo(late, 2) < 0) {
                                throw new IOException("the end of the stream");
                            }
                        }
                    })
                    .isInstanceOf(IOException.class);
            assertThat(echo(open, 3)).isEqualTo(3);
            assertThat(proxy.accepted()).isEqualTo(2);
        }
        proxy.accept();
        try (Socket again = connect()) {
            assertThat(echo(again, 4)).isEqualTo(4);
        }
    }

    @Test
    void holdsDataBack() throws IOException {
        try (Socket socket = connect()) {
            echo(socket, 1);
            proxy.delay(Duration.ofMillis(30));
            long start = System.nanoTime();
            assertThat(echo(socket, 2)).isEqualTo(2);
            assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThanOrEqualTo(Duration.ofMillis(60));
        }
    }

    private Socket connect() throws IOException {
        return new Socket(InetAddress.getByAddress(new byte[] {127, 0, 0, 1}), proxy.port());
    }

    private static int echo(Socket socket, int value) throws IOException {
        socket.getOutputStream().write(value);
        return socket.getInputStream().read();
    }

    private void serve() {
        while (!echoServer.isClosed()) {
            try {
                Socket socket = echoServer.accept();
                startDaemon(() -> answer(socket));
            } catch (IOException e) {
                return;
            }
        }
    }

    private static void answer(Socket socket) {
        try (socket) {
            socket.getInputStream().transferTo(socket.getOutputStream());
        } catch (IOException e) {
            // The test ended this connection.
            return;
        }
    }

    private static void startDaemon(Runnable work) {
        Thread thread = new Thread(work, "echo-test");
        thread.setDaemon(true);
        thread.start();
    }
}

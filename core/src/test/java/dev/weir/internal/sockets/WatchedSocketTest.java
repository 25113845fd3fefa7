package dev.weir.internal.sockets;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class WatchedSocketTest {
    private ServerSocket server;
    private WatchedSocket socket;
    private Socket other;

    @BeforeEach
    void connect() throws Exception {
        server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        socket = new WatchedSocket();
        socket.connect(server.getLocalSocketAddress());
        other = server.accept();
    }

    @AfterEach
    void close() throws Exception {
        socket.close();
        other.close();
        server.close();
    }

    @Test
    void aByteThatWaitsIsSeenAndStaysThere() throws Exception {
        InputStream in = socket.getInputStream();
        assertThat(socket.isSilent()).isTrue();
        other.getOutputStream().write(new byte[] {1});
        int read = in.read(); // it has come by now
        other.getOutputStream().write(new byte[] {2, 3});
        assertThat(read).isEqualTo(1);
        assertThat(in.read()).isEqualTo(2);
        assertThat(socket.isSilent()).isFalse();
        assertThat(in.read()).isEqualTo(3);
        assertThat(socket.isSilent()).isTrue();
    }

    /** The reason for a test after {@code validateAfterIdle}: an end without a word is not seen. */
    @Test
    void theEndOfTheOtherSideIsSilent() throws Exception {
        socket.getInputStream();
        other.close();
        assertThat(socket.isSilent()).isTrue();
    }

    /** A driver that came back to its server does so: the connection is to be tested. */
    @Test
    void oneThatTheDriverClosedIsNotSilent() throws Exception {
        socket.getInputStream();
        socket.close();
        assertThat(socket.isSilent()).isFalse();
    }

    @Test
    void oneFromWhichNothingWasReadIsNotUsed() throws Exception {
        assertThat(socket.isUsed()).isFalse();
        socket.getInputStream();
        assertThat(socket.isUsed()).isTrue();
    }
}

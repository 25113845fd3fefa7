package dev.weir.internal.drivers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.EOFException;
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
    void whatIsReadAheadComesFirst() throws Exception {
        InputStream in = socket.getInputStream();
        assertThat(socket.probe()).isTrue();
        other.getOutputStream().write(new byte[] {1, 2, 3});
        assertThat(socket.probe())
                .as("something came, in the probe or before it")
                .isFalse();
        assertThat(socket.probe()).as("and is not read by the next").isFalse();
        assertThat(in.read()).isEqualTo(1);
        assertThat(in.readNBytes(2)).containsExactly(2, 3);
        assertThat(in.available()).isZero();
        assertThat(socket.probe()).isTrue();
    }

    @Test
    void theEndOfTheOtherSideIsAnError() throws Exception {
        socket.getInputStream();
        other.close();
        assertThat(socket.isSilent()).as("what a look sees").isTrue();
        assertThatThrownBy(() -> socket.probe()).isInstanceOf(EOFException.class);
    }

    /** A driver that came back to its server does so: the connection is to be tested, not to be ended. */
    @Test
    void oneThatTheDriverClosedIsNotSilentAndNoError() throws Exception {
        socket.getInputStream();
        socket.close();
        assertThat(socket.isSilent()).isFalse();
        assertThat(socket.probe()).isFalse();
    }

    @Test
    void theTimeLimitOfTheDriverStays() throws Exception {
        socket.setSoTimeout(1234);
        socket.getInputStream();
        socket.probe();
        assertThat(socket.getSoTimeout()).isEqualTo(1234);
    }
}

package dev.weir.dying;

import dev.weir.testkit.servers.PostgresServer.StopMode;
import java.util.List;

/** How the connections of a pool that its side chose come to their end, while new ones are possible at once. */
enum Way {
    FIN("closed between pool and server (FIN)") {
        @Override
        void end(Side side) {
            side.proxy.finishAll();
        }
    },
    RST("reset between pool and server (RST)") {
        @Override
        void end(Side side) {
            side.proxy.resetAll();
        }
    },
    CUT("closed in the middle of an answer (100 bytes later)") {
        @Override
        void end(Side side) {
            side.proxy.finishOpenAfter(100);
        }
    },
    TERMINATE("terminated by the server (`pg_terminate_backend`)") {
        @Override
        void end(Side side) throws Exception {
            side.terminate();
        }
    },
    BLACK_HOLE("forgotten by a firewall (no byte passes)") {
        @Override
        void end(Side side) {
            side.proxy.forgetOpen();
        }
    },
    FREEZE("session hangs (SIGSTOP of its process)") {
        @Override
        void end(Side side) throws Exception {
            side.freeze();
        }
    },
    RESTART("server restarted (immediate stop)") {
        @Override
        void end(Side side) {
            side.server.stop(StopMode.IMMEDIATE);
            side.server.start();
        }
    };

    /** Those that the usual build tries; a cell of any of them takes less than a second. */
    static final List<Way> QUICK = List.of(RST, CUT, TERMINATE);

    final String words;

    Way(String words) {
        this.words = words;
    }

    abstract void end(Side side) throws Exception;
}

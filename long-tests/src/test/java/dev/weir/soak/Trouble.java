package dev.weir.soak;

import dev.weir.testkit.servers.PostgresServer;
import java.time.Duration;
import java.util.SplittableRandom;

/** What goes wrong around the users. It begins, acts again and again for as long as it lasts, and ends; then all is well again. */
enum Trouble {
    KILL_SOME {
        @Override
        void act(Generation pool, SplittableRandom random) {
            pool.server()
                    .killBackends("pid IN (SELECT pid FROM pg_stat_activity WHERE usename = '" + Soak.USER
                            + "' ORDER BY random() LIMIT " + (1 + random.nextInt(3)) + ")");
        }
    },
    KILL_ALL {
        @Override
        void begin(Generation pool) {
            pool.server().killBackends();
        }
    },
    STOP_FAST {
        @Override
        void begin(Generation pool) {
            pool.server().stop(PostgresServer.StopMode.FAST);
        }
    },
    STOP_IMMEDIATE {
        @Override
        void begin(Generation pool) {
            pool.server().stop(PostgresServer.StopMode.IMMEDIATE);
        }
    },
    RESET {
        @Override
        void act(Generation pool, SplittableRandom random) {
            if (random.nextInt(5) == 0) {
                pool.proxy().resetAll();
            }
        }
    },
    BLACK_HOLE {
        @Override
        void begin(Generation pool) {
            pool.proxy().blackHole();
        }
    },
    REFUSE {
        @Override
        void begin(Generation pool) {
            pool.proxy().refuse();
            pool.proxy().resetAll();
        }
    },
    TURN_AWAY {
        @Override
        void begin(Generation pool) {
            pool.proxy().turnAway();
            pool.proxy().resetAll();
        }
    },
    DELAY {
        @Override
        void begin(Generation pool) {
            pool.proxy().delay(Duration.ofMillis(5));
        }
    },
    SUSPEND {
        @Override
        void act(Generation pool, SplittableRandom random) {
            if (random.nextBoolean()) {
                pool.dataSource().suspend();
            } else {
                pool.dataSource().resume();
            }
        }
    },
    RESIZE {
        @Override
        void act(Generation pool, SplittableRandom random) {
            int maximum = 1 + random.nextInt(pool.maximum());
            pool.resize(random.nextInt(maximum + 1), maximum);
        }
    },
    EVICT {
        @Override
        void act(Generation pool, SplittableRandom random) {
            if (random.nextBoolean()) {
                pool.dataSource().evictIdle();
            } else {
                pool.dataSource().evictAll();
            }
        }
    },
    INTERRUPT {
        @Override
        void act(Generation pool, SplittableRandom random) {
            pool.interruptOne(random);
        }
    },
    DRIVER_THROWS {
        @Override
        void begin(Generation pool) {
            pool.soak().driverFaults.rate(50);
        }
    },
    CALLBACKS_THROW {
        @Override
        void begin(Generation pool) {
            pool.soak().callbackFaults.rate(200);
        }
    },
    NO_CREDENTIALS {
        @Override
        void begin(Generation pool) {
            pool.soak().loginFaults.rate(700);
        }

        @Override
        void act(Generation pool, SplittableRandom random) {
            pool.dataSource().evictIdle(); // so that somebody connects
        }
    };

    void begin(Generation pool) {}

    void act(Generation pool, SplittableRandom random) {}

    /** Ends all troubles at once. */
    static void endAll(Generation pool) {
        Soak soak = pool.soak();
        soak.driverFaults.rate(0);
        soak.callbackFaults.rate(0);
        soak.loginFaults.rate(0);
        soak.server.start();
        soak.proxy.accept();
        soak.proxy.pass();
        pool.resize(pool.minimum(), pool.maximum());
        if (pool.dataSource().isRunning()) {
            pool.dataSource().resume();
        }
    }
}

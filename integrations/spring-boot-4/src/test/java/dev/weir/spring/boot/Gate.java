package dev.weir.spring.boot;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** Requests that use the database, some of which wait until they are let through. */
@RestController
class Gate {
    final CountDownLatch arrived = new CountDownLatch(1);
    final CountDownLatch open = new CountDownLatch(1);

    private final Harbour harbour;
    private final DataSource dataSource;

    Gate(Harbour harbour, DataSource dataSource) {
        this.harbour = harbour;
        this.dataSource = dataSource;
    }

    @GetMapping("/count")
    String count() {
        return harbour.count() + " on " + Thread.currentThread();
    }

    @GetMapping("/wait")
    String await() throws InterruptedException {
        arrived.countDown();
        return open.await(30, TimeUnit.SECONDS) ? "ships: " + harbour.count() : "never opened";
    }

    @GetMapping("/hold")
    String hold() throws SQLException, InterruptedException {
        try (Connection connection = dataSource.getConnection();
                var statement = connection.createStatement()) {
            statement.execute("select 4711");
            arrived.countDown();
            return open.await(30, TimeUnit.SECONDS) ? "held" : "never opened";
        }
    }
}

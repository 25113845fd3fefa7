package dev.weir.internal.shared;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The place that is named for a stack; the shares are tested by LoanTimesTest. */
class LoanWatchTest {
    private static @Nullable String place(String... methods) {
        return LoanWatch.placeOf(Stream.of(methods)
                .map(method -> new StackTraceElement(
                        method.substring(0, method.lastIndexOf('.')),
                        method.substring(method.lastIndexOf('.') + 1),
                        null,
                        1))
                .toArray(StackTraceElement[]::new));
    }

    @Test
    void theFirstFrameOfTheUserIsThePlace() {
        assertThat(place(
                        "java.lang.Thread.sleep",
                        "org.springframework.web.client.RestTemplate.execute",
                        "jdk.proxy2.$Proxy31.find",
                        "shop.Prices$$SpringCGLIB$$0.ofToday",
                        "shop.OrderView.render",
                        "shop.Main.main"))
                .isEqualTo("Prices.ofToday");
        assertThat(place("java.lang.Thread.run")).isNull();
        assertThat(place()).isNull();
    }

    /** It waits for a second connection, and keeps the first for that long. */
    @Test
    void aHolderThatWaitsForAnotherConnectionIsNamed() {
        assertThat(place(
                        "java.util.concurrent.locks.LockSupport.park",
                        "dev.weir.internal.lending.Acquiring.await",
                        "dev.weir.WeirDataSource.getConnection",
                        "shop.OrderView.render"))
                .isEqualTo("OrderView.render");
    }

    @Test
    void aThreadThatReadsRowsIdlesNowhere() {
        assertThat(place(
                        "sun.nio.ch.NioSocketImpl.read",
                        "org.postgresql.core.PGStream.receiveChar",
                        "org.postgresql.jdbc.PgResultSet.next",
                        "dev.weir.internal.handles.ResultSetHandle.next",
                        "shop.OrderView.render"))
                .isNull();
    }
}

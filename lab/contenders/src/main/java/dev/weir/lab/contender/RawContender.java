package dev.weir.lab.contender;

import dev.weir.lab.stub.StubDataSource;
import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The stub driver's connections without a pool, ready and never returned: the floor under all pools. The id of a thread says which
 * connection it gets, so that there must be as many of them as threads.
 */
final class RawContender implements Contender {
    @Override
    public String name() {
        return "raw";
    }

    @Override
    public @Nullable Class<?> type() {
        return null;
    }

    @Override
    public Terms terms(Profile profile) {
        return new Terms(Terms.NEVER, Terms.NO_COUNTS);
    }

    @Override
    public List<String> limits(Profile profile) {
        return List.of("not a pool: connections are neither tested, reset nor returned, and two threads may share one");
    }

    @Override
    public PoolUnderTest open(PoolSpec spec) throws SQLException {
        if (!(spec.physical() instanceof StubDataSource stub)) {
            throw new SQLException("raw: only the stub driver has such connections");
        }
        return new PoolUnderTest(
                stub.withoutPool(Integer.highestOneBit(spec.maximum())), () -> Counts.UNKNOWN, () -> {});
    }
}

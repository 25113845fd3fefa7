package dev.weir.lab.contender;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** No pool: every getConnection connects, every close disconnects, however many there are. */
final class NoneContender implements Contender {

    @Override
    public String name() {
        return "none";
    }

    @Override
    public @Nullable Class<?> type() {
        return null;
    }

    @Override
    public Terms terms(Profile profile) {
        return new Terms("when it is opened", Terms.NO_COUNTS);
    }

    @Override
    public List<String> limits(Profile profile) {
        return List.of("no limit on the number of connections");
    }

    @Override
    public PoolUnderTest open(PoolSpec spec) {
        return new PoolUnderTest(spec.physical(), () -> Counts.UNKNOWN, () -> {});
    }
}

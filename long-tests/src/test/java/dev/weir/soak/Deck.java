package dev.weir.soak;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** Deals troubles, one to three at a time, so that none comes again before all have come. */
final class Deck {
    private final SplittableRandom random;
    private final List<Trouble> left = new ArrayList<>();

    Deck(SplittableRandom random) {
        this.random = random;
    }

    List<Trouble> deal() {
        List<Trouble> dealt = new ArrayList<>();
        for (int n = 1 + random.nextInt(3); n > 0; n--) {
            if (left.isEmpty()) {
                left.addAll(List.of(Trouble.values()));
            }
            Trouble next = left.remove(random.nextInt(left.size()));
            if (!dealt.contains(next)) {
                dealt.add(next);
            }
        }
        return dealt;
    }
}

package dev.weir.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SettledTest {
    private static final Row ROW = new Row("orders", "one", 2, 8, 20, 6, 7, 5, 4, 5, 3, 1_000, "tag");

    private static Settled settled(long pauseMillis, boolean tight) {
        return new Settled(ROW, new Grant(5, 5, 0, 5, 3, pauseMillis, 40, 20, 3, tight));
    }

    private static Claim claim(String text) {
        return claim(text, 0);
    }

    private static Claim claim(String text, int unended) {
        String[] words = text.split(" ", -1);
        int[] numbers = new int[8];
        for (int i = 0; i < numbers.length; i++) {
            numbers[i] = Integer.parseInt(words[i + 2]);
        }
        return new Claim(
                words[0],
                words[1],
                numbers[0],
                numbers[1],
                numbers[2],
                numbers[3],
                8,
                numbers[4],
                unended,
                numbers[5],
                numbers[6],
                numbers[7],
                Boolean.parseBoolean(words[10]),
                words[11]);
    }

    private static final String SAME = "orders one 2 8 20 6 5 5 3 4 false tag";

    @ParameterizedTest
    @CsvSource({
        SAME + ", true",
        "orders one 2 8 20 4 1 5 0 2 false tag, true", // fewer at once, fewer open, a lower floor, half the wants
        "orders one 2 8 20 6 5 5 3 5 false tag, true", // wants all that it has
        "stock one 2 8 20 6 5 5 3 4 false tag, false",
        "orders two 2 8 20 6 5 5 3 4 false tag, false",
        "orders one 3 8 20 6 5 5 3 4 false tag, false",
        "orders one 2 9 20 6 5 5 3 4 false tag, false",
        "orders one 2 8 21 6 5 5 3 4 false tag, false",
        "orders one 2 8 20 7 5 5 3 4 false tag, false", // more connects at a time
        "orders one 2 8 20 6 4 4 3 4 false tag, false", // has given back
        "orders one 2 8 20 6 5 5 4 4 false tag, false", // a higher floor
        "orders one 2 8 20 6 5 5 3 6 false tag, false", // wants more than it has
        "orders one 2 8 20 6 5 5 3 1 false tag, false", // wants far less
        "orders one 2 8 20 6 5 5 3 4 true tag, false", // comes back
        "orders one 2 8 20 6 5 5 3 4 false other, false",
    })
    void aClaimIsCoveredIfTheRowHoldsForIt(String claim, boolean covered) {
        assertThat(settled(0, false).covers(claim(claim))).isEqualTo(covered);
    }

    @Test
    void anAnswerThatMayChangeOrPausesIsNotRepeated() {
        assertThat(settled(0, true).covers(claim(SAME))).isFalse();
        assertThat(settled(10, false).covers(claim(SAME))).isFalse();
    }

    @Test
    void whoLacksThePlaceOfASessionThatMayHaveEndedRenewsInFull() {
        assertThat(settled(0, false).covers(claim(SAME, 1))).isFalse();
        Claim withRoom = claim("orders one 2 8 20 6 3 5 3 4 false tag", 1);
        assertThat(settled(0, false).covers(withRoom)).isTrue();
        assertThat(settled(0, false).extendedBy(withRoom).grant().unended()).isEqualTo(1);
    }

    @Test
    void theNextOneIsMeasuredByThisOne() {
        Settled next = settled(0, false).extendedBy(claim(SAME));
        assertThat(next.row().sequence()).isEqualTo(8);
        assertThat(next.row().has()).isEqualTo(5);
        assertThat(next.grant()).isEqualTo(new Grant(5, 5, 0, 5, 3, 0, 40, 20, 3, false));
    }
}

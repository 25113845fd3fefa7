package dev.weir.internal.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import dev.weir.Configured;
import dev.weir.PoolConfig;
import dev.weir.internal.settings.Setting;
import dev.weir.internal.settings.Settings;
import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** P8: secrets are taken out of texts of any length, in time linear in what is shown of them. */
class RedactorTest {
    private static final int LONG = 1_000_000;

    /** A quadratic step took minutes for a text of this length; a linear one takes milliseconds. */
    private static final Duration LINEAR = Duration.ofSeconds(10);

    private final Settings settings = Configured.settings(
            PoolConfig.builder()
                    .url("jdbc:h2:mem:x")
                    .username("app")
                    .password("open sesame now")
                    .build(),
            "test");

    @ParameterizedTest
    @ValueSource(
            strings = {
                "a",
                "f0",
                "password",
                "password=",
                "password='",
                "password={",
                "'",
                "\"",
                "//",
                "//a:",
                "//:@",
                "jdbc:oracle:",
                "jdbc:oracle:x:",
                "jdbc:oracle:x:y/",
                "= ",
                " ",
                "$$",
                "[",
                "/*",
                "--",
                "\\",
                "open sesame "
            })
    void aLongTextCostsNoMoreThanItsLength(String piece) {
        String text = piece.repeat(LONG / piece.length());
        assertTimeoutPreemptively(LINEAR, () -> {
            Redactor.redactUrl(text);
            Redactor.redactUrl("jdbc:x?" + text);
            SqlText.withoutLiterals(text);
            settings.shownSql(text);
            assertThat(settings.redacted(text)).hasSizeLessThan(2 * Redactor.LONGEST);
            assertThat(Setting.CONNECTION_INIT_SQL.shown(text)).hasSizeLessThan(300);
        });
    }

    @ParameterizedTest
    @CsvSource(
            quoteCharacter = '`',
            delimiter = '|',
            value = {
                "password='it''s' x | password=*** x",
                "password='not closed, x | password=***",
                "pwd={a}}b};x=1 | pwd=***;x=1",
                "password=pa'ss&x | password=***&x",
                "password=a)b&x | password=***&x",
                "(password=abc) x | (password=***) x",
                "'jdbc:x?password=abc', y | 'jdbc:x?password=***', y",
                "{\"password\": \"abc\", \"user\": \"x\"} | {\"password\": ***, \"user\": \"x\"}",
                "where password = ? | where password = ?",
                "Access denied (using password: YES) | Access denied (using password: YES)",
                "pass=abc pass = def | pass=*** pass = ***",
                "jdbc:oracle:thin:a/b@c@h x | jdbc:oracle:thin:a/***@h x",
                "//a:b@h //c:d@h | //a:***@h //c:***@h",
            })
    void secretsAreKnownByTheirPlace(String text, String clean) {
        assertThat(Redactor.redact(text)).isEqualTo(clean);
    }

    @Test
    void noPartOfASecretIsLeftWhereALongTextIsCut() {
        String[] secrets = {
            "open sesame now", "//app:geheim1@host", "password=geheim2&x", "jdbc:oracle:thin:app/geheim3@host"
        };
        for (String secret : secrets) {
            for (int begin = Redactor.LONGEST - secret.length(); begin <= Redactor.LONGEST; begin++) {
                String text = "x ".repeat(begin / 2) + (begin % 2 == 0 ? "" : " ") + secret + " x".repeat(100);
                assertThat(settings.redacted(text))
                        .as("begins at %d", begin)
                        .doesNotContainPattern("open|sesame|gehe|geheim");
            }
        }
    }

    @Test
    void whatIsMaskedStaysMaskedHoweverOftenItIsRead() {
        String pieces = "password =:'\"{}&;//@ app sesame?\\ jdbc:oracle:thin:";
        for (long seed = 0; seed < 20_000; seed++) {
            Random random = new Random(seed);
            StringBuilder text = new StringBuilder();
            for (int n = random.nextInt(12); n > 0; n--) {
                int from = random.nextInt(pieces.length());
                text.append(pieces, from, Math.min(pieces.length(), from + 1 + random.nextInt(16)));
            }
            text.append(" password=geheim ").append(text);
            assertThat(Redactor.redact(text.toString()) + Redactor.redactUrl("jdbc:" + text))
                    .as("seed %d: %s", seed, text)
                    .doesNotContain("geheim");
        }
    }
}

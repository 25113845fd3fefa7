package dev.weir.internal.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.weir.Configured;
import dev.weir.PoolConfig;
import dev.weir.internal.text.Redactor;
import java.sql.SQLException;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class SettingsTest {
    private final Settings settings = Configured.settings(
            PoolConfig.builder()
                    .url("jdbc:h2:mem:x")
                    .username("app")
                    .password("s3cr3t&x")
                    .dataSourceProperty("sslpassword", "keystore1")
                    .build(),
            "test");

    @Test
    void unitsAreThoseOfTheEngine() {
        assertThat(settings.connectionTimeoutNanos()).isEqualTo(5_000_000_000L);
        assertThat(settings.acquireRetryDelayNanos()).isEqualTo(750_000_000L);
        assertThat(settings.initializationFailTimeoutNanos()).isEqualTo(5_000_000_000L);
        assertThat(settings.maximumPoolSize()).isEqualTo(60);
        assertThat(settings.minimumPoolSize()).isEqualTo(10);
    }

    @ParameterizedTest
    @EnumSource(Setting.class)
    void changesWhatMayChangeAndNothingElse(Setting setting) {
        Object value = Samples.other(setting);
        if (setting.changeable()) {
            settings.change(setting, value);
            assertThat(settings.get(setting)).isEqualTo(value);
        } else {
            assertThatIllegalStateException()
                    .isThrownBy(() -> settings.change(setting, value))
                    .withMessage(setting.settingName() + ": cannot be changed once the pool test is started");
        }
    }

    @Test
    void changeReachesTheFields() {
        settings.change(Setting.MAXIMUM_POOL_SIZE, 4);
        assertThat(settings.maximumPoolSize()).isEqualTo(4);
        assertThat(settings.minimumPoolSize()).isEqualTo(4);
        settings.change(Setting.MAX_LIFETIME, "1h");
        assertThat(settings.maxLifetimeNanos()).isEqualTo(Duration.ofHours(1).toNanos());
    }

    @Test
    void wrongChangeLeavesEverythingAsItWas() {
        settings.change(Setting.MINIMUM_POOL_SIZE, 20);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> settings.change(Setting.MAXIMUM_POOL_SIZE, 19))
                .withMessage("minimumPoolSize: 20 (expected: at most maximumPoolSize 19)");
        assertThat(settings.maximumPoolSize()).isEqualTo(60);
    }

    @ParameterizedTest
    @CsvSource(
            quoteCharacter = '`',
            value = {
                "login of app with s3cr3t&x failed | login of app with *** failed",
                "in a url: s3cr3t%26x | in a url: ***",
                "jdbc:postgresql://127.0.0.1/x?user=app&password=abc&ssl=true |"
                        + " jdbc:postgresql://127.0.0.1/x?user=app&password=***&ssl=true",
                "jdbc:sqlserver://127.0.0.1;pwd={a;b};encrypt=true | jdbc:sqlserver://127.0.0.1;pwd=***;encrypt=true",
                "jdbc:mysql://app:p@ss@127.0.0.1:3306/x | jdbc:mysql://app:***@127.0.0.1:3306/x",
                "jdbc:oracle:thin:app/tiger@127.0.0.1:1521:x | jdbc:oracle:thin:app/***@127.0.0.1:1521:x",
                "sslpassword=abc trustStorePassword = def | sslpassword=*** trustStorePassword = ***",
                "{accessToken=abc, secretKey=def} | {accessToken=*** secretKey=***",
                "the keystore1 of the driver | the *** of the driver",
                "password authentication failed for user \"app\" | password authentication failed for user \"app\"",
                "jdbc:postgresql://127.0.0.1:5432/x | jdbc:postgresql://127.0.0.1:5432/x"
            },
            delimiter = '|')
    void secretsAreTakenOut(String text, String clean) {
        assertThat(settings.redacted(text)).isEqualTo(clean);
    }

    @Test
    void thePasswordThatWasGivenForAConnectIsTakenOut() {
        assertThat(settings.redacted(new SQLException("refused: first-token"), "first-token"))
                .hasMessage("refused: ***");
        assertThat(settings.textOf(new SQLException("refused: first-token"), "first-token"))
                .isEqualTo("java.sql.SQLException: refused: ***");
    }

    @Test
    void shortPasswordIsTakenOutWhereItStandsAlone() {
        assertThat(Redactor.redactSecret("user sa, password sa, not saved", "sa"))
                .isEqualTo("user ***, password ***, not saved");
        assertThat(Redactor.redactSecret("nothing", "")).isEqualTo("nothing");
    }
}

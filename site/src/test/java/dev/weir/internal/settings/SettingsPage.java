package dev.weir.internal.settings;

import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.Set;

/** Writes the page of the settings from their table. */
final class SettingsPage {
    /** What nearly every application sets. */
    static final Set<String> USUAL = words("""
            url username password maximumPoolSize minimumPoolSize connectionTimeout maxLifetime leakDetectionThreshold
            """);

    /** What an application has a reason to set; all that is in neither list is better left alone. */
    static final Set<String> OCCASIONAL = words("""
            poolName driverClassName dataSourceClassName minimumIdle poolMode idleTimeout keepaliveTime connectTimeout
            initializationFailTimeout waitWarningThreshold closeTimeout autoCommit readOnly transactionIsolation catalog schema
            connectionInitSql resetSql connectionTestQuery followServerName maximumWaiters measureLoans registerMbeans
            """);

    private SettingsPage() {}

    private static Set<String> words(String text) {
        return new LinkedHashSet<>(Arrays.asList(text.strip().split("\\s+")));
    }

    /** The whole of docs/reference/settings.md. */
    static String text() {
        return String.join(
                "\n",
                "# Settings",
                "",
                "<!-- Written by SettingsPageTest from the table in the code (SettingTable.java). Change it there, then run",
                "     mvn test -pl site -am -Dtest=SettingsPageTest -Dsurefire.failIfNoSpecifiedTests=false"
                        + " -Dweir.docs.update=true -->",
                "",
                "Every setting belongs to one pool and has one name: in the builder of `PoolConfig`, as bean property of"
                        + " `WeirDataSource`, in `Properties` and in a properties file (UTF-8). Settings marked *runtime* can be"
                        + " changed while the pool runs, by JMX or the setters of `WeirDataSource`.",
                "",
                "A time is a number of milliseconds, a number with a unit (`500ms`, `30s`, `5m`, `2h`, `1d`), or ISO-8601"
                        + " (`PT30S`); the builder takes a `Duration`. An unknown name and a value out of range are refused by"
                        + " name, all faults in one message: `maximumPoolSize: 0 (expected: 1..10000)`.",
                "",
                "## You will set",
                "",
                table(USUAL),
                "`dataSource.*` goes to the driver. Objects are given to the builder or the bean: a `DataSource` instead of a"
                        + " `url`, a `CredentialsProvider` instead of `username` and `password`, a `FailureClassifier`, a"
                        + " `ThreadFactory`, a supplier of the [`sessionState`](../how-to/share-connections.md#the-settings-of-a-request).",
                "",
                "## You may set",
                "",
                table(OCCASIONAL),
                "## Leave alone",
                "",
                "The defaults of these fit, unless a measurement or an operator of the database says otherwise.",
                "",
                table(others()),
                "## What must fit together",
                "",
                "- exactly one of `url`, `dataSourceClassName` and a `DataSource` object; `driverClassName` only with `url`;",
                "- `username` and `password`, or a `CredentialsProvider`, not both;",
                "- `minimumPoolSize` at most `maximumPoolSize`; one that is not set gives way, and so does `minimumIdle`;",
                "- an `initializationFailTimeout` that is positive is at least 100ms;",
                "- a `keepaliveTime` that is set is less than `maxLifetime`, unless one of them is 0;",
                "- one of `jdbc4ConnectionTest` and `connectionTestQuery`;",
                "- one setting under two names has one value.",
                "",
                "## Request boundaries",
                "",
                "With `requestBoundaries` the pool calls `Connection.beginRequest()` when it lends a connection, and"
                        + " `endRequest()` when it is back and rolled back, both on the user's thread. Oracle marks where replay"
                        + " may begin and end, SQL Server remembers properties and sets them back, HSQLDB resets the session; the"
                        + " drivers of PostgreSQL, MariaDB, MySQL and H2 do nothing. A failure of `beginRequest` is thrown by"
                        + " `getConnection()`; a failure of either retires the connection, except SQLFeatureNotSupportedException.",
                "",
                "## Names of other pools",
                "",
                "`jdbcUrl` is `url`, as most names of HikariCP are names here, and `lending` is `poolMode`. The pool knows no other names; those of other"
                        + " pools become settings by [`weir migrate`](../start/migrating.md), or by `OtherNames` of"
                        + " `weir-migration`.",
                "");
    }

    private static Set<String> others() {
        Set<String> others = new LinkedHashSet<>();
        for (Setting setting : Setting.values()) {
            if (!USUAL.contains(setting.settingName()) && !OCCASIONAL.contains(setting.settingName())) {
                others.add(setting.settingName());
            }
        }
        return others;
    }

    private static String table(Set<String> names) {
        StringBuilder text = new StringBuilder("| setting | default | range | what it is |\n|---|---|---|---|\n");
        for (Setting setting : Setting.values()) {
            if (names.contains(setting.settingName())) {
                text.append("| `")
                        .append(setting.settingName())
                        .append('`')
                        .append(setting.changeable() ? " *runtime*" : "")
                        .append(" | ")
                        .append(byDefault(setting))
                        .append(" | ")
                        .append(range(setting))
                        .append(" | ")
                        .append(setting.doc())
                        .append(" |\n");
            }
        }
        return text.toString();
    }

    private static String byDefault(Setting setting) {
        Object value = setting.byDefault();
        return value == null ? "" : '`' + setting.type().write(value) + '`';
    }

    private static String range(Setting setting) {
        return setting.range().isEmpty() ? setting.type().label() : setting.range();
    }
}

package dev.weir.internal.settings;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Writes the documentation of the settings from their table. */
final class SettingsDoc {
    private SettingsDoc() {}

    /** The whole of docs/reference/settings.md. */
    static String guide() {
        return String.join(
                "\n",
                "# Settings",
                "",
                "<!-- Written by SettingsDocTest from the table in the code (SettingTable.java). Change it there, then run",
                "     mvn test -pl core -am -Dtest=SettingsDocTest -Dsurefire.failIfNoSpecifiedTests=false"
                        + " -Dweir.docs.update=true -->",
                "",
                "After this page you know every setting: its name, its range, its default, and what other pools call it.",
                "",
                "Every setting belongs to one pool; there are no JVM-wide switches. The same names work in the builder of",
                "`PoolConfig`, as bean properties of `WeirDataSource`, in `Properties` and in a properties file (UTF-8).",
                "",
                "Times are a number of milliseconds, or a number with a unit (`500ms`, `30s`, `5m`, `2h`, `1d`), or ISO-8601",
                "(`PT30S`); the builder takes a `Duration`. They count in whole milliseconds.",
                "",
                "An unknown name and a value out of range are refused by name, all faults in one message:",
                "`maximumPoolSize: 0 (expected: 1..10000)`.",
                "",
                table(),
                "Settings marked *runtime* can be changed while the pool runs, by JMX or by the setters of",
                "`WeirDataSource`, and take effect at once.",
                "",
                "`dataSource.*` is set on the driver's DataSource (`dataSourceClassName`), or given to the driver with the",
                "`url`; an unknown property of a DataSource is refused. Objects are given to the builder or the bean: a",
                "`DataSource` instead of a `url`, a `CredentialsProvider` instead of `username` and `password`, a",
                "`FailureClassifier`, a `ThreadFactory` for the pool's own threads.",
                "",
                "## What must fit together",
                "",
                "- exactly one of `url`, `dataSourceClassName` and a `DataSource` object; `driverClassName` only with `url`;",
                "- `username` and `password`, or a `CredentialsProvider`, not both;",
                "- `minimumPoolSize` and `minimumIdle` at most `maximumPoolSize`; a `minimumPoolSize` that is not set gives way;",
                "- a `keepaliveTime` that is set is less than `maxLifetime`, unless one of them is 0;",
                "- exactly one of `jdbc4ConnectionTest` and `connectionTestQuery`: to set the query switches the other off, both",
                "  set is a fault;",
                "- one setting under two names must have one value.",
                "",
                "## Request boundaries",
                "",
                "With `requestBoundaries` the pool calls `Connection.beginRequest()` when it lends a connection, and",
                "`endRequest()` when it is back and rolled back. What the driver makes of it is its own affair:",
                "",
                "| driver | beginRequest | endRequest |",
                "|---|---|---|",
                "| Oracle | marks where replay (Application Continuity) may begin; local | ends it; refused inside a transaction |",
                "| SQL Server | remembers auto-commit, isolation, catalog and other properties; local | sets back what changed, closes"
                        + " statements, rolls back: round trips where there is something to do |",
                "| HSQLDB | nothing | resets the session; the pool then sets again what its settings name |",
                "| PostgreSQL, MariaDB, MySQL, H2 | nothing: JDBC's empty default | nothing |",
                "",
                "Both are called by the user's thread, so `beginRequest` of a driver that spoke with its server would make",
                "`getConnection()` wait for the network. A driver that answers with SQLFeatureNotSupportedException is let be.",
                "Any other failure retires the connection: at the end as one that cannot be cleaned, at the beginning",
                "`getConnection()` throws it.",
                "",
                "## Names of other pools",
                "",
                "Accepted where they mean the same thing in the same unit. Names that are the same here and there (as most of",
                "HikariCP's are) are not listed. Of Agroal, BeeCP, BoneCP, Druid and Vibur, `OtherNames` of `weir-migration` has more.",
                "",
                aliases(),
                "## Names that are refused",
                "",
                "They have no meaning here, another meaning, or another unit. The message says what to do instead.",
                "",
                refused());
    }

    /** The table of all settings. */
    static String table() {
        StringBuilder text = new StringBuilder("| setting | default | range | what it is |\n|---|---|---|---|\n");
        for (Setting setting : Setting.values()) {
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
        return text.toString();
    }

    private static String byDefault(Setting setting) {
        Object value = setting.byDefault();
        return value == null ? "" : '`' + setting.type().write(value) + '`';
    }

    private static String range(Setting setting) {
        return setting.range().isEmpty()
                ? setting.type().label()
                : setting.range().replace("..", " to ");
    }

    private static String aliases() {
        StringBuilder text = new StringBuilder("| name | setting | used by |\n|---|---|---|\n");
        for (SettingNames.Alias alias : SettingNames.ALIASES) {
            text.append("| `")
                    .append(alias.name())
                    .append("` | `")
                    .append(alias.setting().settingName())
                    .append("` | ")
                    .append(alias.usedBy())
                    .append(" |\n");
        }
        return text.toString();
    }

    private static String refused() {
        Map<String, List<String>> byReason = new TreeMap<>();
        SettingNames.REFUSED.forEach((name, reason) ->
                byReason.computeIfAbsent(reason, key -> new ArrayList<>()).add('`' + name + '`'));
        StringBuilder text = new StringBuilder("| names | why, and what instead |\n|---|---|\n");
        byReason.forEach((reason, names) -> text.append("| ")
                .append(String.join(", ", names))
                .append(" | ")
                .append(reason)
                .append(" |\n"));
        return text.toString();
    }
}

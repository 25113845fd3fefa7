package dev.weir.codegen;

import static dev.weir.codegen.SettingSpec.flag;
import static dev.weir.codegen.SettingSpec.number;
import static dev.weir.codegen.SettingSpec.optional;
import static dev.weir.codegen.SettingSpec.text;
import static dev.weir.codegen.SettingSpec.time;
import static dev.weir.codegen.SettingSpec.word;

import dev.weir.codegen.SettingSpec.Kind;
import java.util.List;

/**
 * The table of settings, in the order of the documentation. {@link SettingGenerator} writes the builder, the getters,
 * the bean, JMX and the constants of {@code dev.weir.internal.settings.Setting} from it; the documentation and the messages are made from
 * those.
 */
final class SettingTable {
    private static final int MOST = 10_000;
    private static final String SHORTEST = "1ms";
    private static final String LONGEST = "365d";

    static final List<SettingSpec> ALL = List.of(
            text("url", "the JDBC URL of the database", "for none")
                    .notInEngine()
                    .alias("jdbcUrl")
                    .doc("JDBC URL of the database, jdbc:..."),
            optional(Kind.NAME, "username", "the user that connections are opened as", "for none")
                    .notInEngine()
                    .doc("User that connections are opened as"),
            optional(Kind.SECRET, "password", "the password of that user", "for none")
                    .notInEngine()
                    .doc("Password of that user"),
            text("driverClassName", "the driver class for the url", "for the one that accepts it")
                    .notInEngine()
                    .doc("Driver for the url; unset: the one that accepts it"),
            text("dataSourceClassName", "the driver's DataSource class, instead of a url", "for none")
                    .notInEngine()
                    .doc("Driver's DataSource class, instead of a url; its properties are set as dataSource.*"),
            text("poolName", "the name in messages, JMX and events", "to generate one")
                    .notInEngine()
                    .doc("Name in messages, JMX and events; unset: weir-1, weir-2, ..."),
            number("maximumPoolSize", 60, 1, MOST, "the greatest number of connections, idle and in use")
                    .atRunTime("When it is lowered, connections above it are closed when they are returned")
                    .doc("At most this many connections, idle and in use"),
            number("minimumPoolSize", 10, 0, MOST, "the least number of connections, idle and in use")
                    .atRunTime()
                    .doc(
                            "At least this many connections, idle and in use; unset: 10, or minimumIdle if that is set, or maximumPoolSize if that is less"),
            number("minimumIdle", 0, 0, MOST, "the number of connections kept idle on top of those in use")
                    .doc(
                            "Kept idle on top of those in use, as far as maximumPoolSize allows; filled up lazily; set alone, 0 lets the pool shrink to nothing"),
            word(Kind.POOL_MODE, "poolMode", "session", "the time for which a user has a connection of the database")
                    .alias("lending")
                    .doc(
                            "session: from getConnection() to close(); lazy: from the first call that needs the server to close(); transaction: also given back between transactions"),
            number("acquireIncrement", 5, 1, 1_000, "the greatest number of connects under way at a time")
                    .atRunTime()
                    .doc(
                            "At most this many connects under way at a time; up to acquireSurge times as many while a queue grows that the connections there are do not keep up with"),
            number("acquireSurge", 8, 1, 100, "how many times acquireIncrement may be under way while a queue grows")
                    .atRunTime()
                    .doc(
                            "While a queue grows, up to this many times acquireIncrement are under way, doubling every 15 ms; 1: never more than acquireIncrement"),
            number(
                            "acquireRetries",
                            3,
                            0,
                            1_000,
                            "the failures in a row after which, while no thread waits, the pause doubles")
                    .atRunTime()
                    .doc("Failures in a row after which, while no thread waits, the pause doubles, to 30s at most"),
            time(
                            "acquireRetryDelay",
                            "750ms",
                            SHORTEST,
                            LONGEST,
                            "the longest pause after a failed connect; a tenth of it while a thread waits")
                    .atRunTime()
                    .doc(
                            "Longest pause between attempts of a failed connect; a tenth of it while a thread waits that no live connection serves; with jitter"),
            time(
                            "connectionTimeout",
                            "5s",
                            SHORTEST,
                            LONGEST,
                            "the time within which getConnection() returns or throws")
                    .atRunTime()
                    .doc("getConnection() returns or throws within this time"),
            time(
                            "waitWarningThreshold",
                            null,
                            "0",
                            LONGEST,
                            "the time waited for a connection after which a warning is logged, zero for never")
                    .atRunTime()
                    .doc(
                            "Log who holds the connections once a thread has waited this long, and connects that take as long; 0: never; unset: a fifth of connectionTimeout"),
            time("validationTimeout", "1s", SHORTEST, LONGEST, "the bound of one test of a connection")
                    .doc(
                            "Bound of one test of a connection, and of closing one; a user never waits for it beyond connectionTimeout"),
            time("connectTimeout", "30s", SHORTEST, LONGEST, "the bound of one physical connect")
                    .doc("Bound of one physical connect; a hung one is abandoned and replaced"),
            time(
                            "returnTimeout",
                            "30s",
                            SHORTEST,
                            LONGEST,
                            "the bound of what Connection.close() does to bring a connection back clean")
                    .doc(
                            "Connection.close() rolls back and cleans within this time; a connection that hangs in it is aborted"),
            time("closeTimeout", "10s", "0", LONGEST, "the time that close() waits for connections in use")
                    .doc("How long close() waits for connections in use before it aborts them"),
            flag("jdbc4ConnectionTest", true, "connections are tested by Connection.isValid")
                    .doc(
                            "Test connections by Connection.isValid; unset: true, or false if there is a connectionTestQuery"),
            text("connectionTestQuery", "the SQL that tests connections instead of isValid", "for none")
                    .doc("Test connections by this SQL instead of isValid"),
            time(
                            "validateAfterIdle",
                            "500ms",
                            "0",
                            LONGEST,
                            "the time without an answer after which a connection is tested before it is lent")
                    .doc(
                            "Test a connection before it is lent if it did not answer for this long; 0: before every hand-out"),
            optional(
                            Kind.LIVENESS,
                            "liveness",
                            "the way in which a connection shows that it lives before it is lent",
                            "for socket where it can be had, else test")
                    .doc(
                            "socket: the pool makes the driver's sockets, and looks at a connection's before each hand-out, besides the test after validateAfterIdle (PostgreSQL, MySQL, MariaDB by url); test: that test alone; unset: socket where it can be had"),
            time("keepaliveTime", "2m", "0", LONGEST, "the period of the test of idle connections, zero for never")
                    .doc("Test an idle connection this often; less than maxLifetime; 0: never"),
            time(
                            "idleTimeout",
                            "10m",
                            "0",
                            LONGEST,
                            "the time after which surplus connections are closed, zero for never")
                    .atRunTime()
                    .doc(
                            "Close connections that were surplus for this long, never earlier and at most 30s later; 0: never"),
            time("maxLifetime", "30m", "0", LONGEST, "the age at which a connection is replaced, zero for never")
                    .atRunTime()
                    .doc("Replace a connection of this age, less a jitter, and never while it is in use; 0: never"),
            time(
                            "leakDetectionThreshold",
                            "0",
                            "0",
                            LONGEST,
                            "the time held after which a connection is reported, zero for never")
                    .atRunTime()
                    .doc("Log a connection that is held for longer, with its holder's stack; 0: never"),
            flag("measureLoans", false, "the time of loans is measured by what their holders do with it")
                    .atRunTime()
                    .doc("Measure what holders do; done for listeners and leakDetectionThreshold anyway"),
            optional(Kind.BOOLEAN, "autoCommit", "the auto-commit of a lent connection", "for the driver's")
                    .doc("Auto-commit of a lent connection; unset: the driver's"),
            optional(Kind.BOOLEAN, "readOnly", "the read-only mode of a lent connection", "for the driver's")
                    .doc("Read-only mode of a lent connection; unset: the driver's"),
            optional(Kind.ISOLATION, "transactionIsolation", "the isolation of a lent connection", "for the driver's")
                    .doc("Isolation of a lent connection; unset: the driver's"),
            text("catalog", "the catalog of a lent connection", "for the driver's")
                    .doc("Catalog of a lent connection; unset: the driver's"),
            text("schema", "the schema of a lent connection", "for the driver's")
                    .doc("Schema of a lent connection; unset: the driver's"),
            text("connectionInitSql", "the SQL run once on every new connection", "for none")
                    .doc("SQL run once on every new connection"),
            text("resetSql", "the SQL run when a used connection is returned", "for none")
                    .doc("SQL run when a used connection is returned, such as DISCARD ALL"),
            flag("requestBoundaries", false, "the driver is told when a connection is lent and when it is back")
                    .doc(
                            "Tell the driver by beginRequest and endRequest when a connection is lent and when it is back"),
            time(
                            "initializationFailTimeout",
                            null,
                            "-365d",
                            LONGEST,
                            "the time that starting waits for a first connection")
                    .doc(
                            "Starting waits this long for a first connection, else throws; 0: tries once and goes on; negative: does not try; unset: connectionTimeout"),
            flag(
                            "followServerName",
                            false,
                            "connections are replaced after the url's host name has come to lead to other addresses")
                    .doc(
                            "Replace connections when the url's host name has not led to their addresses for five minutes and another server answers; for a name that leads to one server, as a primary's"),
            flag("registerMbeans", true, "the pool is registered with JMX")
                    .doc("Register the pool with JMX as dev.weir:type=Pool,name=..."),
            number(
                            "maximumWaiters",
                            0,
                            0,
                            1_000_000,
                            "the greatest number of threads that wait for a connection, zero for unlimited")
                    .doc("At most this many threads wait for a connection, one more fails at once; 0: unlimited"));

    private SettingTable() {}
}

package dev.weir.internal.settings;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Every name a setting goes by. {@link #ALIASES} has the names of other pools that mean the same thing in the same unit;
 * {@link #REFUSED} has well-known names that are refused with a reason, since here they would have no meaning, another
 * meaning or another unit, and to accept one silently would be worse than to stop.
 */
public final class SettingNames {

    /** One other name of a setting, and whose it is. */
    record Alias(Setting setting, String name, String usedBy) {}

    /** The prefix of what goes to the driver's DataSource, or into the driver's Properties. */
    public static final String DATA_SOURCE_PREFIX = "dataSource.";

    public static final String WHY_NOT_XA =
            "XA data sources are refused: a transaction manager decides when an XAConnection's work"
                    + " is prepared and committed and must keep the connection until then, while this pool rolls back and lends it"
                    + " to somebody else at close(); use the driver's plain DataSource, or url";

    static final List<Alias> ALIASES = Stream.of(Setting.values())
            .flatMap(setting ->
                    setting.row().otherNames().stream().map(other -> new Alias(setting, other.name(), other.usedBy())))
            .toList();

    /** Well-known names that are no setting here, with what to do instead. In the order of the documentation. */
    static final Map<String, String> REFUSED = refused();

    private static final Map<String, Setting> BY_NAME = byName();

    private SettingNames() {}

    private static Map<String, String> refused() {
        Map<String, String> names = new LinkedHashMap<>();
        String tested =
                "connections are always tested before they are lent; validateAfterIdle says when that is spared";
        putAll(names, tested, "testOnBorrow", "testConnectionOnCheckout", "testOnConnect", "testOnCreate");
        putAll(names, tested, "testOnReturn", "testConnectionOnCheckin");
        String idleTest = "idle connections are tested every keepaliveTime";
        putAll(names, idleTest, "testWhileIdle", "timeBetweenEvictionRunsMillis", "numTestsPerEvictionRun");
        names.put("idleConnectionTestPeriod", "that is in seconds; set keepaliveTime, which is in milliseconds");
        names.put("validationInterval", "counts from the last test; set validateAfterIdle, from the last answer");
        names.put(
                "connectionIdleLimitInSeconds", "that is in seconds; set validateAfterIdle, which is in milliseconds");
        names.put("validationQueryTimeout", "that is in seconds; set validationTimeout, which is in milliseconds");
        names.put("validateTimeoutInSeconds", "that is in seconds; set validationTimeout, which is in milliseconds");
        names.put("aliveTestTimeout", "that is in seconds; set validationTimeout, which is in milliseconds");
        names.put("testConnectionQuery", "there isValid is not SQL but a word of its own; set connectionTestQuery");
        String initial = "filled to minimumPoolSize at start";
        putAll(names, initial, "initialSize", "initialPoolSize", "poolInitialSize");
        names.put("maxIdle", "what is surplus for idleTimeout is closed; set idleTimeout or minimumPoolSize");
        names.put("maxIdleTime", "that is in seconds; set idleTimeout, which is in milliseconds");
        names.put("softMinEvictableIdleTimeMillis", "set idleTimeout");
        names.put("maxConnectionAge", "that is in seconds; set maxLifetime, which is in milliseconds");
        names.put("acquireRetryAttempts", "0 means for ever there, and none here; set acquireRetries");
        names.put("loginTimeout", "that is in seconds; set connectTimeout (one connect) or connectionTimeout (a user)");
        String leak = "held connections are reported, not taken away; set leakDetectionThreshold";
        putAll(names, leak, "removeAbandoned", "removeAbandonedOnBorrow", "removeAbandonedTimeout");
        putAll(names, leak, "unreturnedConnectionTimeout", "suspectTimeout", "logAbandoned", "holdTimeout");
        String statements = "statements are cached by the driver; set its own property, dataSource.*";
        putAll(names, statements, "poolPreparedStatements", "maxOpenPreparedStatements", "statementCacheMaxSize");
        putAll(names, statements, "maxStatements", "maxStatementsPerConnection", "preparedStatementCacheSize");
        String rolledBack = "work not committed is always rolled back at close()";
        putAll(names, rolledBack, "rollbackOnReturn", "commitOnReturn", "autoCommitOnClose", "flushOnClose");
        names.put("connectionProperties", "give each one as dataSource.<name>");
        names.put("dbProperties", "give each one as dataSource.<name>");
        names.put("dataSourceProperties", "give each one as dataSource.<name>");
        names.put("connectionInitSqls", "that is a list; set connectionInitSql, one text for the driver");
        names.put("dataSourceJNDI", "look it up and give the DataSource object to the builder");
        String provider = "give a CredentialsProvider object to the builder or the bean";
        putAll(names, provider, "credentialsProvider", "credentialsProviderClassName");
        String classifier = "give a FailureClassifier object to the builder or the bean";
        putAll(names, classifier, "exceptionOverride", "exceptionOverrideClassName");
        names.put("allowPoolSuspension", "suspend() is always there");
        names.put("isolateInternalQueries", "the pool always rolls back what its own SQL began");
        names.put("fairQueue", "waiters are always served in order");
        names.put("fairMode", "waiters are always served in order");
        names.put("lifo", "the pool chooses the connection; waiters are always served in order");
        names.put("xaDataSourceClassName", WHY_NOT_XA);
        return names;
    }

    private static void putAll(Map<String, String> map, String reason, String... names) {
        Stream.of(names).forEach(name -> map.put(name, reason));
    }

    private static Map<String, Setting> byName() {
        Map<String, Setting> names = new TreeMap<>();
        for (Setting setting : Setting.values()) {
            names.put(setting.settingName(), setting);
        }
        for (Alias alias : ALIASES) {
            names.put(alias.name(), alias.setting());
        }
        return names;
    }

    /** The setting of this name or alias, or null. */
    public static @Nullable Setting find(String name) {
        return BY_NAME.get(name);
    }

    /** The fault of a name that {@link #find} does not know, with the setting that was probably meant, by its own name. */
    public static String faultOf(String name) {
        String reason = REFUSED.get(name);
        if (reason != null) {
            return name + ": not a setting (" + reason + ")";
        }
        String nearest = nearest(name, BY_NAME.keySet());
        Setting meant = nearest == null ? null : BY_NAME.get(nearest);
        return name + ": not a setting" + (meant == null ? "" : " (did you mean " + meant.settingName() + "?)");
    }

    /** {@code " (did you mean x?)"}, or nothing where no name is near. */
    public static String didYouMean(String name, Iterable<String> names) {
        String nearest = nearest(name, names);
        return nearest == null ? "" : " (did you mean " + nearest + "?)";
    }

    private static @Nullable String nearest(String name, Iterable<String> names) {
        String wanted = folded(name);
        String nearest = null;
        int least = Math.max(2, wanted.length() / 4) + 1;
        for (String candidate : names) {
            int distance = distance(wanted, folded(candidate));
            if (distance < least) {
                least = distance;
                nearest = candidate;
            }
        }
        return nearest;
    }

    /** So that maximum-pool-size, MAXIMUM_POOL_SIZE and maximumPoolSize are no distance apart. */
    private static String folded(String name) {
        return name.toLowerCase(Locale.ROOT).replaceAll("[-_.\\s]", "");
    }

    /** How many letters must be inserted, removed, replaced or swapped with their neighbour to make a into b. */
    private static int distance(String a, String b) {
        int[][] d = new int[a.length() + 1][b.length() + 1];
        for (int i = 0; i <= a.length(); i++) {
            for (int j = 0; j <= b.length(); j++) {
                if (i == 0 || j == 0) {
                    d[i][j] = i + j;
                    continue;
                }
                int replaced = d[i - 1][j - 1] + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
                d[i][j] = Math.min(replaced, 1 + Math.min(d[i - 1][j], d[i][j - 1]));
                if (i > 1 && j > 1 && a.charAt(i - 1) == b.charAt(j - 2) && a.charAt(i - 2) == b.charAt(j - 1)) {
                    d[i][j] = Math.min(d[i][j], d[i - 2][j - 2] + 1);
                }
            }
        }
        return d[a.length()][b.length()];
    }
}

package dev.weir.internal.settings;

import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The names of the settings, and what is said of a name that is none. */
public final class SettingNames {
    /** The prefix of what goes to the driver's DataSource, or into the driver's Properties. */
    public static final String DATA_SOURCE_PREFIX = "dataSource.";

    /** Names of HikariCP that are no setting here, with what to do instead. */
    static final Map<String, String> REFUSED = Map.of(
            "allowPoolSuspension", "suspend() is always there",
            "credentialsProvider", "give a CredentialsProvider object to the builder or the bean",
            "credentialsProviderClassName", "give a CredentialsProvider object to the builder or the bean",
            "dataSourceJNDI", "look it up and give the DataSource object to the builder",
            "dataSourceProperties", "give each one as dataSource.<name>",
            "exceptionOverride", "give a FailureClassifier object to the builder or the bean",
            "exceptionOverrideClassName", "give a FailureClassifier object to the builder or the bean",
            "initializationFailFast", "set initializationFailTimeout",
            "isolateInternalQueries", "the pool always rolls back what its own SQL began");

    private static final Map<String, Setting> BY_NAME = byName();

    private SettingNames() {}

    private static Map<String, Setting> byName() {
        Map<String, Setting> names = new TreeMap<>();
        for (Setting setting : Setting.values()) {
            names.put(setting.settingName(), setting);
            setting.aliases().forEach(alias -> names.put(alias, setting));
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

    /** The number of letters to insert, remove, replace or swap with their neighbour to make a into b. */
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

package dev.weir.internal.settings;

import dev.weir.internal.text.RedactedFailure;
import dev.weir.internal.text.Redactor;
import dev.weir.internal.text.SqlText;
import dev.weir.spi.FailureClassifier;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The settings in force in one pool, in the units of the engine. Some may change while it runs, as {@code SettingTable}
 * says. Each change builds and checks a whole new {@link Configuration}, then publishes the fields one by one. A reader
 * that needs two of them may see one old and one new value for an instant; the engine looks at them again when it is
 * told that they changed.
 */
public final class Settings extends EngineSettings {
    private final String poolName;
    private final Configuration initial;

    /** The secrets of {@link #initial}; found when there is something to say. Any thread may write it, each the same. */
    private volatile @Nullable List<String> secrets;

    /** The values that the pool chose where the configuration leaves the choice to it. */
    private final Map<Setting, Object> chosen = new ConcurrentHashMap<>();

    /** The notes that were logged of this pool, and are not logged again. */
    private final Set<String> said = ConcurrentHashMap.newKeySet();

    private volatile Configuration config; // written under the monitor of this

    public Settings(Configuration config, String poolName) {
        super(config);
        this.poolName = poolName;
        this.initial = config;
        this.config = config;
        choose(Setting.POOL_NAME, poolName);
    }

    /**
     * Changes one setting; null goes back to its default. The pool must be told by {@code ConnectionPool.settingsChanged}.
     *
     * @throws IllegalStateException if it cannot be changed while the pool runs
     * @throws IllegalArgumentException if the value is wrong, or contradicts another setting
     */
    public void change(Setting setting, @Nullable Object value) {
        replace(setting, null, value);
    }

    /**
     * As {@link #change}, but only if the value in force is the expected one; null: whatever it is.
     *
     * @return whether it was
     */
    public boolean replace(Setting setting, @Nullable Object expected, @Nullable Object value) {
        if (!setting.changeable()) {
            throw new IllegalStateException(
                    setting.settingName() + ": cannot be changed once the pool " + poolName + " is started");
        }
        synchronized (this) {
            if (expected != null && !expected.equals(get(setting))) {
                return false;
            }
            config = config.with(setting, value);
            publish(config);
        }
        return true;
    }

    /** The pool chooses this value, unless the configuration gives one; before the start is over. */
    public void choose(Setting setting, Object value) {
        if (!initial.isGiven(setting)) {
            chosen.put(setting, value);
        }
    }

    /** The value in force, in its public type. */
    public @Nullable Object get(Setting setting) {
        return chosen.getOrDefault(setting, config.get(setting));
    }

    /** The configuration in force. */
    public Configuration config() {
        return config;
    }

    public String poolName() {
        return poolName;
    }

    /** Whether this is to be said of the pool for the first time; true once for each subject. */
    public boolean isFirst(String subject) {
        return said.add(subject);
    }

    /** Whether that has been said. */
    public boolean isSaid(String subject) {
        return said.contains(subject);
    }

    public @Nullable FailureClassifier failureClassifier() {
        return initial.failureClassifier();
    }

    /**
     * This text without the secrets of this pool: its passwords, and what is secret by name in URLs. A text longer than
     * {@link Redactor#LONGEST} is cut first, so that a message of any length costs no more.
     */
    public String redacted(String text) {
        return redacted(text, null);
    }

    private String redacted(String text, @Nullable String given) {
        List<String> known = secrets;
        if (known == null) {
            known = secretsOf(initial);
            secrets = known;
        }
        if (given != null) {
            known = new ArrayList<>(known);
            known.add(given);
        }
        return Redactor.redact(text, known, initial.text(Setting.URL));
    }

    /** The passwords, and what is not shown of the URL and of the driver's properties; a short word might be any word. */
    private static List<String> secretsOf(Configuration config) {
        List<String> secrets = new ArrayList<>();
        String password = config.text(Setting.PASSWORD);
        if (password != null) {
            secrets.add(password);
        }
        String url = config.text(Setting.URL);
        if (url != null) {
            secrets.addAll(Redactor.secretsOf(url));
        }
        for (Map.Entry<String, Object> property : config.dataSourceProperties().entrySet()) {
            String name = property.getKey();
            String text = property.getValue().toString();
            if (Redactor.isSecretName(name) || (text.length() >= 8 && !Redactor.isShown(name, text))) {
                secrets.add(text);
            }
        }
        return List.copyOf(secrets);
    }

    /** The SQL of a user, as others may see it: without literals, comments and secrets, on one line, cut. */
    public @Nullable String shownSql(@Nullable String sql) {
        return sql == null ? null : SqlText.shortened(redacted(SqlText.withoutLiterals(sql)));
    }

    /** This failure, or a copy without secrets of all that hangs on it; never throws. */
    public Throwable redacted(Throwable failure) {
        return redacted(failure, null);
    }

    /**
     * As {@link #redacted(Throwable)}, of a connect, or of the connection that it brought; {@code given}: the password that
     * a CredentialsProvider gave for it.
     */
    public Throwable redacted(Throwable failure, @Nullable String given) {
        return RedactedFailure.of(failure, text -> redacted(text, given));
    }

    /** The text of a failure, without secrets; never throws. */
    public String textOf(Throwable failure, @Nullable String given) {
        return RedactedFailure.textOf(failure, text -> redacted(text, given));
    }

    /** As {@link #textOf}, of a failure that may quote the SQL of a user: without its literals. */
    public String textWithoutLiterals(Throwable failure, @Nullable String given) {
        return RedactedFailure.textOf(
                failure, text -> SqlText.shortened(redacted(SqlText.withoutLiterals(text), given)));
    }
}

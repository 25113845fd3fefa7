package dev.weir.testkit;

import java.sql.Connection;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The changes and questions of SQL text to a session's settings, in the words of PostgreSQL. It knows
 * {@code SET [SESSION|LOCAL] search_path TO x}, {@code SET TRANSACTION ISOLATION LEVEL x}, {@code SHOW x},
 * {@code current_setting('x')} and {@code set_config('x', v, local)}. Not thread-safe; its session guards it.
 */
final class StubSettings {

    private static final String SEARCH_PATH = "search_path";
    private static final String ISOLATION = "default_transaction_isolation";
    private static final String READ_ONLY = "default_transaction_read_only";
    private static final Pattern SET =
            Pattern.compile("(?i)SET\\s+(?:(SESSION|LOCAL)\\s+)?(\\w+)\\s*(?:=|TO)\\s*'?([^']*)'?");
    private static final Pattern SET_ISOLATION =
            Pattern.compile("(?i)SET\\s+TRANSACTION\\s+ISOLATION\\s+LEVEL\\s+(.+)");
    private static final Pattern ASK = Pattern.compile("(?i)(?:SHOW\\s+|current_setting\\(')(\\w+)");
    private static final Pattern CONFIG =
            Pattern.compile("(?i)set_config\\('(\\w+)',\\s*(\\?|'[^']*'),\\s*(true|false)\\)");
    private static final int LONGEST_UNDERSTOOD = 1_000;

    final StubProperty<String> schema = new StubProperty<>("schema0");
    final StubProperty<Integer> isolation = new StubProperty<>(Connection.TRANSACTION_READ_COMMITTED);
    final StubProperty<Boolean> readOnly = new StubProperty<>(false);

    void endTransaction(boolean keep) {
        schema.endTransaction(keep);
        isolation.endTransaction(keep);
        readOnly.endTransaction(keep);
    }

    /** Does what the text says of settings, if it does. */
    void change(String sql, Collection<?> parameters, boolean inTransaction) {
        if (sql.length() > LONGEST_UNDERSTOOD) {
            return;
        }
        Matcher set = SET.matcher(sql);
        Matcher setIsolation = SET_ISOLATION.matcher(sql);
        if (setIsolation.matches()) {
            isolation.setLocal(isolationOf(setIsolation.group(1)));
        } else if (set.matches()) {
            change(set.group(2), set.group(3), "LOCAL".equalsIgnoreCase(set.group(1)), inTransaction);
        }
        Deque<Object> values = new ArrayDeque<>(parameters);
        for (Matcher config = CONFIG.matcher(sql); config.find(); ) {
            String value = config.group(2);
            String given = value.equals("?") ? String.valueOf(values.poll()) : value.substring(1, value.length() - 1);
            change(config.group(1), given, config.group(3).equalsIgnoreCase("true"), inTransaction);
        }
    }

    private void change(String name, String value, boolean local, boolean inTransaction) {
        switch (name.toLowerCase(Locale.ROOT)) {
            case SEARCH_PATH -> set(schema, value, local, inTransaction);
            case ISOLATION -> set(isolation, isolationOf(value), local, inTransaction);
            case READ_ONLY -> set(readOnly, value.equalsIgnoreCase("on"), local, inTransaction);
            default -> {
                // A setting that no check looks at.
            }
        }
    }

    private static <T> void set(StubProperty<T> property, T value, boolean local, boolean inTransaction) {
        if (local) {
            property.setLocal(value);
        } else {
            property.set(value, inTransaction);
        }
    }

    /** The row of the settings that the text asks for, one a column; empty if it asks for none. */
    List<String> row(String sql) {
        List<String> row = new ArrayList<>();
        if (sql.length() <= LONGEST_UNDERSTOOD) {
            for (Matcher ask = ASK.matcher(sql); ask.find(); ) {
                row.add(show(ask.group(1)));
            }
        }
        return row;
    }

    /** A setting as the server tells it. */
    String show(String name) {
        return switch (name.toLowerCase(Locale.ROOT)) {
            case SEARCH_PATH -> schema.get();
            case ISOLATION ->
                isolation.get() == Connection.TRANSACTION_SERIALIZABLE ? "serializable" : "read committed";
            case READ_ONLY -> readOnly.get() ? "on" : "off";
            default -> "";
        };
    }

    private static int isolationOf(String name) {
        return name.strip().equalsIgnoreCase("serializable")
                ? Connection.TRANSACTION_SERIALIZABLE
                : Connection.TRANSACTION_READ_COMMITTED;
    }
}

package dev.weir.testkit;

import java.sql.Connection;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The changes and questions of SQL text to a session's settings, in the words of PostgreSQL. It knows
 * {@code SET [SESSION|LOCAL] x TO y}, {@code SET TRANSACTION ISOLATION LEVEL y}, {@code RESET ALL}, {@code SHOW x},
 * {@code current_setting('x')} and {@code set_config('x', y, local)}. Not thread-safe; its session guards it.
 */
final class StubSettings {

    private static final String SEARCH_PATH = "search_path";
    private static final String ISOLATION = "default_transaction_isolation";
    private static final String READ_ONLY = "default_transaction_read_only";
    private static final String SCHEMA = "schema0";
    private static final String DEFAULT = "DEFAULT";
    private static final Pattern SET =
            Pattern.compile("(?i)SET\\s+(?:(SESSION|LOCAL)\\s+)?([\\w.]+)\\s*(?:=|TO)\\s*'?([^']*)'?");
    private static final Pattern SET_ISOLATION =
            Pattern.compile("(?i)SET\\s+TRANSACTION\\s+ISOLATION\\s+LEVEL\\s+(.+)");
    private static final Pattern ASK = Pattern.compile("(?i)(?:SHOW\\s+|current_setting\\('?)([\\w.]+|\\?)");
    private static final Pattern CONFIG =
            Pattern.compile("(?i)set_config\\((\\?|n|'[\\w.]+'),\\s*(\\?|NULL|'[^']*'),\\s*(true|false)\\)");
    private static final int LONGEST_UNDERSTOOD = 1_000;

    final StubProperty<String> schema = new StubProperty<>(SCHEMA);
    final StubProperty<Integer> isolation = new StubProperty<>(Connection.TRANSACTION_READ_COMMITTED);
    final StubProperty<Boolean> readOnly = new StubProperty<>(false);

    /** All others, by name; each is empty at first. */
    private final Map<String, StubProperty<String>> others = new TreeMap<>();

    void endTransaction(boolean keep) {
        others.values().forEach(other -> other.endTransaction(keep));
        schema.endTransaction(keep);
        isolation.endTransaction(keep);
        readOnly.endTransaction(keep);
    }

    /** Does what the text says of settings, if it does. */
    void change(String sql, Collection<?> parameters, boolean inTransaction) {
        if (sql.length() > LONGEST_UNDERSTOOD) {
            return;
        }
        Deque<Object> values = new ArrayDeque<>(parameters);
        for (String statement : sql.split(";", -1)) {
            changeBy(statement.strip(), values, inTransaction);
        }
    }

    private void changeBy(String sql, Deque<Object> values, boolean inTransaction) {
        Matcher set = SET.matcher(sql);
        Matcher setIsolation = SET_ISOLATION.matcher(sql);
        if (setIsolation.matches()) {
            isolation.setLocal(isolationOf(setIsolation.group(1)));
        } else if (set.matches()) {
            change(set.group(2), set.group(3), "LOCAL".equalsIgnoreCase(set.group(1)), inTransaction);
        } else if (sql.equalsIgnoreCase("RESET ALL")) {
            List.of(SEARCH_PATH, ISOLATION, READ_ONLY).forEach(name -> change(name, DEFAULT, false, inTransaction));
            others.values().forEach(other -> other.set("", inTransaction));
        }
        for (Matcher config = CONFIG.matcher(sql); config.find(); ) {
            String name = literalOr(config.group(1), values);
            String value = config.group(2).equals("NULL") ? DEFAULT : literalOr(config.group(2), values);
            change(name, value, config.group(3).equalsIgnoreCase("true"), inTransaction);
        }
    }

    /** The literal without its quotes, or the next of the parameters. */
    private static String literalOr(String token, Deque<Object> values) {
        return token.startsWith("'") ? token.substring(1, token.length() - 1) : String.valueOf(values.poll());
    }

    private void change(String name, String value, boolean local, boolean inTransaction) {
        boolean resets = value.startsWith(DEFAULT);
        String of = name.toLowerCase(Locale.ROOT);
        switch (of) {
            case SEARCH_PATH -> set(schema, resets ? SCHEMA : value, local, inTransaction);
            case ISOLATION -> set(isolation, isolationOf(value), local, inTransaction);
            case READ_ONLY -> set(readOnly, value.equalsIgnoreCase("on"), local, inTransaction);
            default ->
                set(
                        others.computeIfAbsent(of, unset -> new StubProperty<>("")),
                        resets ? "" : value,
                        local,
                        inTransaction);
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
    List<String> row(String sql, Collection<?> parameters) {
        List<String> row = new ArrayList<>();
        if (sql.length() <= LONGEST_UNDERSTOOD) {
            Deque<Object> names = new ArrayDeque<>(parameters);
            for (Matcher ask = ASK.matcher(sql); ask.find(); ) {
                row.add(show(ask.group(1).equals("?") ? String.valueOf(names.poll()) : ask.group(1)));
            }
        }
        return row;
    }

    /** A setting as the server tells it. */
    String show(String name) {
        String of = name.toLowerCase(Locale.ROOT);
        return switch (of) {
            case SEARCH_PATH -> schema.get();
            case ISOLATION ->
                isolation.get() == Connection.TRANSACTION_SERIALIZABLE ? "serializable" : "read committed";
            case READ_ONLY -> readOnly.get() ? "on" : "off";
            default -> others.containsKey(of) ? others.get(of).get() : "";
        };
    }

    /** The rows of those that are not as a new session has them: name and value. */
    List<List<String>> changed() {
        List<List<String>> rows = new ArrayList<>();
        StubSettings fresh = new StubSettings();
        List<String> names = new ArrayList<>(List.of(SEARCH_PATH, ISOLATION, READ_ONLY));
        names.addAll(others.keySet());
        for (String name : names) {
            if (!show(name).equals(fresh.show(name))) {
                rows.add(List.of(name, show(name)));
            }
        }
        return rows;
    }

    private static int isolationOf(String name) {
        return name.strip().equalsIgnoreCase("serializable")
                ? Connection.TRANSACTION_SERIALIZABLE
                : Connection.TRANSACTION_READ_COMMITTED;
    }
}

package dev.weir.internal.sessions;

import java.util.Locale;
import java.util.Set;

/** Stands in for the scanner. */
final class PostgresText {
    private PostgresText() {}

    static Effect effectOf(String sql) {
        String text = sql.strip().toLowerCase(Locale.ROOT);
        if (text.startsWith("select") && !text.contains("(")) {
            return Effect.CLEAR;
        }
        if (text.startsWith("select pg_sleep")
                || text.startsWith("select count(")
                || text.startsWith("select current_setting(")
                || text.startsWith("select pg_backend_pid(")
                || text.startsWith("show")
                || text.startsWith("select current_schema")
                || text.startsWith("begin")
                || text.startsWith("commit")
                || text.startsWith("rollback")
                || text.startsWith("set local")) {
            return Effect.CLEAR;
        }
        if (text.startsWith("set ")) {
            return new Effect(Effect.Kind.SETS, Set.of(text.substring(4).split("[ =]", 2)[0]), "SET");
        }
        if (text.startsWith("insert") || text.startsWith("update") || text.startsWith("create table")) {
            return new Effect(Effect.Kind.LEAVES, Set.of(), "");
        }
        if (text.startsWith("select pg_advisory")) {
            return new Effect(Effect.Kind.LOCKS, Set.of(), "advisory lock");
        }
        return new Effect(Effect.Kind.PINS, Set.of(), "not understood");
    }
}

package dev.weir.lab.workload;

import java.sql.SQLException;

/** Failures in words. */
public final class Failures {
    private Failures() {}

    /** What went wrong, down to the first cause, each once. */
    public static String describe(Throwable failure) {
        StringBuilder text = new StringBuilder();
        String last = "";
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            String words = cause.getMessage() == null || cause.getMessage().isBlank()
                    ? cause.getClass().getName()
                    : cause.getClass().getSimpleName() + ": " + cause.getMessage();
            if (!last.contains(words)) {
                text.append(text.length() == 0 ? "" : ", because of ").append(words);
            }
            last = words;
        }
        return text.toString();
    }

    /** The first SQLState that a failure or one of its causes has; empty if none has. */
    public static String sqlState(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof SQLException sql && sql.getSQLState() != null) {
                return sql.getSQLState();
            }
        }
        return "";
    }
}

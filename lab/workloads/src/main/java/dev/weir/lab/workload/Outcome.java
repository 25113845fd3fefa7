package dev.weir.lab.workload;

import dev.weir.lab.runs.Measurement;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Measurements of a cell, or a message that says why it failed. */
public record Outcome(
        List<Measurement> measurements, @Nullable String failure) {
    public static Outcome measured(List<Measurement> measurements) {
        return new Outcome(measurements, null);
    }

    public static Outcome failed(String message) {
        return new Outcome(List.of(), message);
    }

    /** A failure in words, down to the first cause, each once. */
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
}

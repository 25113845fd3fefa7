package dev.weir.lab.workload;

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
}

package dev.weir.console.window;

/** A JVM cannot be looked into; the message says why, and what to do. */
public final class WindowFailure extends Exception {
    private static final long serialVersionUID = 1;

    WindowFailure(String message, Throwable cause) {
        super(message, cause);
    }

    public WindowFailure(String message) {
        super(message);
    }
}

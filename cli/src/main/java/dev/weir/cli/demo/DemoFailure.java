package dev.weir.cli.demo;

/** Why the demo cannot go on, in words for whoever started it. */
final class DemoFailure extends Exception {
    private static final long serialVersionUID = 1;

    DemoFailure(String message) {
        super(message);
    }

    DemoFailure(String message, Throwable cause) {
        super(message, cause);
    }
}

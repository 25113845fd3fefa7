package dev.weir.cli.tune;

/** Why there is no answer, in words for people. */
final class TuneFailure extends Exception {
    private static final long serialVersionUID = 1L;

    TuneFailure(String message) {
        super(message);
    }
}

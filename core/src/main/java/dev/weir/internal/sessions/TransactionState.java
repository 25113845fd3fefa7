package dev.weir.internal.sessions;

/** The server's transaction as the driver knows it without asking. */
public enum TransactionState {
    /** The driver does not tell, or what it tells is not to be believed. */
    UNKNOWN,
    IDLE,
    OPEN,
    /** A statement failed, and the server refuses all others until the rollback. */
    FAILED;

    public boolean isOpen() {
        return this == OPEN || this == FAILED;
    }
}

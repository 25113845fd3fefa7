package dev.weir;

/** What a driver knows of the server's transaction without asking it. */
enum TransactionState {
    /** This driver does not tell. */
    UNKNOWN,
    IDLE,
    OPEN,
    /** A statement failed, and the server refuses all others until the rollback. */
    FAILED
}

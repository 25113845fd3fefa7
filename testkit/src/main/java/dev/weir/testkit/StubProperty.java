package dev.weir.testkit;

/**
 * A property of a session as a server keeps it: what a transaction changed is undone by its rollback, and what it changed for
 * itself alone (SET LOCAL) ends with it. Not thread-safe; its session guards it.
 */
final class StubProperty<T> {

    private T value;
    private T beforeTransaction;
    private boolean changedInTransaction;
    private T local;
    private boolean isLocal;

    StubProperty(T value) {
        this.value = value;
        this.beforeTransaction = value;
        this.local = value;
    }

    T get() {
        return isLocal ? local : value;
    }

    /** Changes it, for good unless this belongs to a transaction that is rolled back. */
    void set(T next, boolean inTransaction) {
        if (inTransaction && !changedInTransaction) {
            beforeTransaction = value;
            changedInTransaction = true;
        }
        value = next;
        isLocal = false;
    }

    void setLocal(T next) {
        local = next;
        isLocal = true;
    }

    void endTransaction(boolean keep) {
        if (changedInTransaction && !keep) {
            value = beforeTransaction;
        }
        changedInTransaction = false;
        isLocal = false;
    }
}

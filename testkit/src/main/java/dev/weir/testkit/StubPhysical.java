package dev.weir.testkit;

/**
 * Implemented by every object of the stub driver, and by nothing else: the vendor's interface that an application
 * reaches through {@code unwrap(StubPhysical.class)}, and the mark by which an object that escaped from a pool is known.
 */
public interface StubPhysical {

    /** Returns the session this object belongs to. */
    StubSession session();
}

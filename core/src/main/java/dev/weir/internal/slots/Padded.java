package dev.weir.internal.slots;

/** Keeps the hot field of a subclass off the cache line of whatever the collector puts before it. */
@SuppressWarnings("unused") // the fields are there for the room they take
abstract class Padded {
    private long p0;
    private long p1;
    private long p2;
    private long p3;
    private long p4;
    private long p5;
    private long p6;
    private long p7;
}

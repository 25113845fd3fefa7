package dev.weir;

/** Stub: the session state of one physical connection. */
final class Session {}

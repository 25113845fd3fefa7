package dev.weir;

/** Stub: the settings in force. */
final class Settings {}

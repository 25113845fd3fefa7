package dev.weir.lab.runs;

/**
 * Why a cell has no measurements.
 *
 * @param cell which
 * @param message what was said, in one line
 */
public record Failure(Cell cell, String message) {}

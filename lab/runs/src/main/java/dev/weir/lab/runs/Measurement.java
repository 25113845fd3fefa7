package dev.weir.lab.runs;

/**
 * One number of a cell, and one row of {@code measurements.csv}.
 *
 * @param cell whose
 * @param metric what, in lower-case words, as {@code p99} or {@code bytes per op}
 * @param value the number; never infinite, NaN if there is none
 * @param unit {@code ns}, {@code us}, {@code ms}, {@code s}, {@code 1/s}, {@code bytes}, or empty for a count
 */
public record Measurement(Cell cell, String metric, double value, String unit) {}

package dev.weir.lab.runs;

/**
 * What a pool cannot be told to do in the profile of the run.
 *
 * @param pool its label
 * @param limit in words
 */
public record Limit(String pool, String limit) {}

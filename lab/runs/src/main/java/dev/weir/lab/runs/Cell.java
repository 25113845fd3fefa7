package dev.weir.lab.runs;

import com.fasterxml.jackson.annotation.JsonProperty;

/**
 * The smallest thing that is measured: one pool under one case, once.
 *
 * @param round which time, from 1
 * @param caseName which load, as {@code 4 connections, 50 platform threads, parked}
 * @param pool the pool's label, as {@code weir} or {@code c3p0[helperThreads=10]}
 */
public record Cell(int round, @JsonProperty("case") String caseName, String pool) {

    @Override
    public String toString() {
        return "round " + round + ", " + caseName + ", " + pool;
    }
}

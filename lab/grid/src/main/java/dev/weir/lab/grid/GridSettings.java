package dev.weir.lab.grid;

import dev.weir.lab.runs.Cell;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Collectors;

/**
 * What grid to run.
 *
 * @param pools names of pools that the service knows
 * @param sizes connections of the pool
 * @param threads of the server
 * @param clients connections to the server
 * @param rates requests offered per second; 0 is a closed loop
 * @param warmUp seconds before each cell counts
 * @param seconds that each cell counts
 * @param turns in which the pools of one size, threads and clients share the time, in a closed loop; 1: one cell after the
 *     other
 * @param seed of the order
 * @param user of the service whose questions are asked for
 * @param wrk whether wrk measures each closed cell again
 * @param database what it is, without secrets
 */
record GridSettings(
        List<String> pools,
        List<Integer> sizes,
        List<Integer> threads,
        List<Integer> clients,
        List<Integer> rates,
        int warmUp,
        int seconds,
        int turns,
        long seed,
        int user,
        boolean wrk,
        String database) {

    /** The cells in random order, so that a machine that drifts harms all alike. */
    List<Cell> cells() {
        List<Cell> cells = new ArrayList<>();
        for (String pool : pools) {
            for (int size : sizes) {
                for (int thread : threads) {
                    for (int client : clients) {
                        for (int rate : rates) {
                            cells.add(new GridCell(pool, size, thread, client, rate).toCell());
                        }
                    }
                }
            }
        }
        Collections.shuffle(cells, new Random(seed));
        return cells;
    }

    Map<String, String> asMap() {
        Map<String, String> map = new LinkedHashMap<>();
        map.put("pools", String.join(",", pools));
        map.put("sizes", text(sizes));
        map.put("threads", text(threads));
        map.put("clients", text(clients));
        map.put("rates", text(rates));
        map.put("warm-up", Integer.toString(warmUp));
        map.put("seconds", Integer.toString(seconds));
        map.put("turns", Integer.toString(turns));
        map.put("seed", Long.toString(seed));
        map.put("user", Integer.toString(user));
        map.put("wrk", Boolean.toString(wrk));
        map.put("database", database);
        return map;
    }

    static GridSettings of(Map<String, String> map) {
        return new GridSettings(
                List.of(map.getOrDefault("pools", "").split(",")),
                numbers("sizes", map.getOrDefault("sizes", ""), 1, 10_000),
                numbers("threads", map.getOrDefault("threads", ""), 1, 10_000),
                numbers("clients", map.getOrDefault("clients", ""), 1, 100_000),
                numbers("rates", map.getOrDefault("rates", ""), 0, 10_000_000),
                Integer.parseInt(map.getOrDefault("warm-up", "")),
                Integer.parseInt(map.getOrDefault("seconds", "")),
                Integer.parseInt(map.getOrDefault("turns", "1")),
                Long.parseLong(map.getOrDefault("seed", "")),
                Integer.parseInt(map.getOrDefault("user", "")),
                Boolean.parseBoolean(map.getOrDefault("wrk", "")),
                map.getOrDefault("database", ""));
    }

    private static String text(List<Integer> numbers) {
        return numbers.stream().map(String::valueOf).collect(Collectors.joining(","));
    }

    /**
     * Reads {@code 1,2,4}.
     *
     * @throws IllegalArgumentException naming the option, if one is no number, out of range, or there twice
     */
    static List<Integer> numbers(String name, String text, int least, int most) {
        LinkedHashSet<Integer> numbers = new LinkedHashSet<>();
        for (String part : Arrays.asList(text.split(",", -1))) {
            try {
                int number = Integer.parseInt(part.strip());
                if (number < least || number > most || !numbers.add(number)) {
                    throw new NumberFormatException();
                }
            } catch (NumberFormatException e) {
                throw new IllegalArgumentException(
                        "--%s: %s (expected: different numbers of %d..%d, as 1,2,4)".formatted(name, text, least, most),
                        e);
            }
        }
        return List.copyOf(numbers);
    }
}

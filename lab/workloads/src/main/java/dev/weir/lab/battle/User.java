package dev.weir.lab.battle;

import dev.weir.lab.battle.shop.Downstream;
import dev.weir.lab.battle.shop.Shop;
import dev.weir.lab.battle.shop.ShopApplication;
import dev.weir.lab.workload.Settings;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.locks.LockSupport;

/**
 * One user in a closed loop: of ten requests six are for the customer page, two for a product page, two buy. Users buy for
 * customers of their own, so that they meet in the pool and not in the tables. What a user counts is read when its thread
 * has ended.
 */
final class User implements Runnable {
    /** Of all drawn times and choices; the same for every pool. */
    private static final long SEED = 20_260_101;

    private final int number;
    private final int users;
    private final long thinkNanos;
    private final ShopApplication application;
    private final Shop shop;
    private final SplittableRandom random;
    private final long endNanos;
    private final Samples samples = new Samples();
    private final Map<String, Integer> failures = new TreeMap<>();
    private long ordersPlaced;
    private long linesPlaced;
    private long spent;

    User(int number, Settings settings, ShopApplication application, long endNanos) {
        this.number = number;
        this.users = settings.number("users");
        this.thinkNanos = settings.millis("think").toNanos();
        this.application = application;
        this.shop = application.shop();
        this.random = new SplittableRandom(SEED + number);
        this.endNanos = endNanos;
    }

    @Override
    public void run() {
        think(thinkNanos / 2); // the users do not all begin at one moment
        while (System.nanoTime() < endNanos && !Thread.currentThread().isInterrupted()) {
            long begun = System.nanoTime();
            try {
                application.serve(this::request, random);
                samples.add(begun, System.nanoTime() - begun);
            } catch (RuntimeException e) {
                failures.merge(firstCause(e), 1, Integer::sum);
            }
            think(thinkNanos);
        }
    }

    private void request() {
        int dice = random.nextInt(10);
        long customer = number + (long) users * random.nextInt(Battle.CUSTOMERS_PER_USER);
        if (dice < 6) {
            shop.customerPage(customer, random);
        } else if (dice < 8) {
            shop.productPage(random.nextInt(Battle.PRODUCTS), random);
        } else {
            buy(customer);
        }
    }

    private void buy(long customer) {
        List<Shop.Item> items = new ArrayList<>();
        int lines = 1 + random.nextInt(4);
        for (int i = 0; i < lines; i++) {
            items.add(new Shop.Item(random.nextInt(Battle.PRODUCTS), 1 + random.nextInt(3)));
        }
        spent += shop.order(customer, items, random);
        ordersPlaced++;
        linesPlaced += lines;
    }

    private void think(long meanNanos) {
        long until = System.nanoTime() + Downstream.drawn(meanNanos, random);
        for (long left = until - System.nanoTime(); left > 0; left = until - System.nanoTime()) {
            LockSupport.parkNanos(this, left);
            if (Thread.currentThread().isInterrupted()) {
                return;
            }
        }
    }

    private static String firstCause(Throwable failure) {
        Throwable cause = failure;
        while (cause.getCause() != null) {
            cause = cause.getCause();
        }
        return cause.toString();
    }

    Samples samples() {
        return samples;
    }

    /** What failed, and how often. */
    Map<String, Integer> failures() {
        return failures;
    }

    long ordersPlaced() {
        return ordersPlaced;
    }

    long linesPlaced() {
        return linesPlaced;
    }

    /** In cents. */
    long spent() {
        return spent;
    }
}

package dev.weir.cli.top;

import dev.weir.console.window.PoolView.Holder;
import java.util.Comparator;

/** The orders in which holders are shown. */
enum Sort {
    AGE,
    THREAD,
    PLACE,
    SQL;

    Comparator<Holder> order() {
        return switch (this) {
            case AGE -> Comparator.comparingLong(one -> -one.heldFor());
            case THREAD -> Comparator.comparing(one -> String.valueOf(one.thread()));
            case PLACE -> Comparator.comparing(Screen::place);
            case SQL -> Comparator.comparing(one -> String.valueOf(one.sql()));
        };
    }

    Sort next() {
        return switch (this) {
            case AGE -> THREAD;
            case THREAD -> PLACE;
            case PLACE -> SQL;
            case SQL -> AGE;
        };
    }
}

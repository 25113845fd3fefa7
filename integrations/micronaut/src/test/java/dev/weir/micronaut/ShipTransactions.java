package dev.weir.micronaut;

import io.micronaut.context.ApplicationContext;
import io.micronaut.transaction.TransactionOperations;
import java.util.ArrayList;
import java.util.List;

/** All that names Micronaut Data, so that {@link DataTest} can be loaded without it. */
final class ShipTransactions {
    private final Ships ships;
    private final TransactionOperations<?> transactions;

    ShipTransactions(ApplicationContext context) {
        ships = context.getBean(Ships.class);
        transactions = context.getBean(TransactionOperations.class);
    }

    /** Stores all in one transaction. */
    void save(String... names) {
        transactions.executeWrite(status -> {
            for (String name : names) {
                ships.save(new Ship(null, name));
            }
            return names.length;
        });
    }

    /** Stores it, and ends the transaction with this exception. */
    void saveAndThrow(String name, RuntimeException end) {
        transactions.executeWrite(status -> {
            ships.save(new Ship(null, name));
            throw end;
        });
    }

    List<String> names() {
        List<String> names = new ArrayList<>();
        ships.findAll().forEach(ship -> names.add(ship.name()));
        return names;
    }
}

package dev.weir.spring.boot;

import jakarta.persistence.Entity;
import jakarta.persistence.Id;

/** What the application keeps. */
@Entity
public class Ship {
    @Id
    private long id;

    private String name;

    protected Ship() {}

    Ship(long id, String name) {
        this.id = id;
        this.name = name;
    }

    String name() {
        return name;
    }
}

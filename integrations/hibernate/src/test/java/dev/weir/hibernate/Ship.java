package dev.weir.hibernate;

import jakarta.persistence.Entity;
import jakarta.persistence.GeneratedValue;
import jakarta.persistence.Id;

/** Something to store. */
@Entity
public class Ship {
    @Id
    @GeneratedValue
    private Long id;

    private String name;

    protected Ship() {}

    Ship(String name) {
        this.name = name;
    }

    Long id() {
        return id;
    }

    String name() {
        return name;
    }
}

package dev.weir.lab.battle.shop;

import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Table;

/** Where a customer lives. */
@Entity
@Table(name = "region")
public class Region {
    @Id
    private long id;

    private String name = "";

    protected Region() {}

    public long id() {
        return id;
    }

    public String name() {
        return name;
    }
}

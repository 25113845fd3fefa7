package dev.weir.lab.battle.shop;

import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Table;

/** Who makes a product. */
@Entity
@Table(name = "supplier")
public class Supplier {
    @Id
    private long id;

    private String name = "";

    protected Supplier() {}

    public long id() {
        return id;
    }

    public String name() {
        return name;
    }
}

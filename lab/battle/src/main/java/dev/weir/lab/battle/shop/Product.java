package dev.weir.lab.battle.shop;

import jakarta.persistence.Entity;
import jakarta.persistence.FetchType;
import jakarta.persistence.Id;
import jakarta.persistence.JoinColumn;
import jakarta.persistence.ManyToOne;
import jakarta.persistence.Table;

/** What is sold. */
@Entity
@Table(name = "product")
public class Product {
    @Id
    private long id;

    private String name = "";

    private long price;

    @ManyToOne(fetch = FetchType.LAZY, optional = false)
    @JoinColumn(name = "supplier_id")
    @SuppressWarnings("NullAway.Init")
    private Supplier supplier;

    protected Product() {}

    public long id() {
        return id;
    }

    public String name() {
        return name;
    }

    /** In cents. */
    public long price() {
        return price;
    }

    public Supplier supplier() {
        return supplier;
    }
}

package dev.weir.lab.battle.shop;

import jakarta.persistence.Entity;
import jakarta.persistence.FetchType;
import jakarta.persistence.Id;
import jakarta.persistence.JoinColumn;
import jakarta.persistence.ManyToOne;
import jakarta.persistence.Table;
import jakarta.persistence.Version;

/** Who buys. */
@Entity
@Table(name = "customer")
public class Customer {
    @Id
    private long id;

    private String name = "";

    private long spent;

    @Version
    private int version;

    @ManyToOne(fetch = FetchType.LAZY, optional = false)
    @JoinColumn(name = "region_id")
    @SuppressWarnings("NullAway.Init")
    private Region region;

    protected Customer() {}

    public long id() {
        return id;
    }

    public String name() {
        return name;
    }

    public Region region() {
        return region;
    }

    /** In cents, over all orders. */
    public long spent() {
        return spent;
    }

    /** Rises with every change. */
    public int version() {
        return version;
    }

    void spend(long cents) {
        spent += cents;
    }
}

package dev.weir.lab.battle.shop;

import jakarta.persistence.CascadeType;
import jakarta.persistence.Entity;
import jakarta.persistence.FetchType;
import jakarta.persistence.GeneratedValue;
import jakarta.persistence.GenerationType;
import jakarta.persistence.Id;
import jakarta.persistence.JoinColumn;
import jakarta.persistence.ManyToOne;
import jakarta.persistence.OneToMany;
import jakarta.persistence.SequenceGenerator;
import jakarta.persistence.Table;
import java.util.ArrayList;
import java.util.List;

/** What a customer bought at one time. */
@Entity
@Table(name = "purchase_order")
public class PurchaseOrder {
    @Id
    @GeneratedValue(strategy = GenerationType.SEQUENCE, generator = "purchase_order_ids")
    @SequenceGenerator(name = "purchase_order_ids", sequenceName = "purchase_order_ids", allocationSize = 50)
    private long id;

    @ManyToOne(fetch = FetchType.LAZY, optional = false)
    @JoinColumn(name = "customer_id")
    @SuppressWarnings("NullAway.Init")
    private Customer customer;

    private long total;

    @OneToMany(mappedBy = "order", cascade = CascadeType.PERSIST)
    private List<OrderLine> lines = new ArrayList<>();

    protected PurchaseOrder() {}

    PurchaseOrder(Customer customer) {
        this.customer = customer;
    }

    void add(Product product, int quantity) {
        lines.add(new OrderLine(this, product, quantity));
        total += product.price() * quantity;
    }

    public long id() {
        return id;
    }

    public Customer customer() {
        return customer;
    }

    /** In cents. */
    public long total() {
        return total;
    }

    public List<OrderLine> lines() {
        return List.copyOf(lines);
    }
}

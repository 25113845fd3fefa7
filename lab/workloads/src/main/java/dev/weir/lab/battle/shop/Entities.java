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
import jakarta.persistence.Version;
import java.util.ArrayList;
import java.util.List;

/** The entities of the shop; money is in cents. */
@SuppressWarnings({"NullAway.Init", "UnusedVariable"}) // Hibernate sets and reads the fields
final class Entities {
    private Entities() {}

    /** Where a customer lives. */
    @Entity(name = "Region")
    @Table(name = "region")
    static class Region {
        @Id
        private long id;

        private String name = "";

        String name() {
            return name;
        }
    }

    /** A maker of products. */
    @Entity(name = "Supplier")
    @Table(name = "supplier")
    static class Supplier {
        @Id
        private long id;

        private String name = "";

        String name() {
            return name;
        }
    }

    /** An article that is sold. */
    @Entity(name = "Product")
    @Table(name = "product")
    static class Product {
        @Id
        private long id;

        private String name = "";
        private long price;

        @ManyToOne(fetch = FetchType.LAZY, optional = false)
        @JoinColumn(name = "supplier_id")
        private Supplier supplier;

        String name() {
            return name;
        }

        long price() {
            return price;
        }

        Supplier supplier() {
            return supplier;
        }
    }

    /** A buyer. */
    @Entity(name = "Customer")
    @Table(name = "customer")
    static class Customer {
        @Id
        private long id;

        private String name = "";
        private long spent;

        @Version
        private int version;

        @ManyToOne(fetch = FetchType.LAZY, optional = false)
        @JoinColumn(name = "region_id")
        private Region region;

        String name() {
            return name;
        }

        Region region() {
            return region;
        }

        /** Over all orders. */
        long spent() {
            return spent;
        }

        void spend(long cents) {
            spent += cents;
        }
    }

    /** The products that a customer bought at one time. */
    @Entity(name = "PurchaseOrder")
    @Table(name = "purchase_order")
    static class PurchaseOrder {
        @Id
        @GeneratedValue(strategy = GenerationType.SEQUENCE, generator = "purchase_order_ids")
        @SequenceGenerator(name = "purchase_order_ids", sequenceName = "purchase_order_ids", allocationSize = 50)
        private long id;

        @ManyToOne(fetch = FetchType.LAZY, optional = false)
        @JoinColumn(name = "customer_id")
        private Customer customer;

        private long total;

        @OneToMany(mappedBy = "order", cascade = CascadeType.PERSIST)
        private List<OrderLine> lines = new ArrayList<>();

        protected PurchaseOrder() {}

        PurchaseOrder(Customer customer) {
            this.customer = customer;
        }

        void add(Product product, int quantity) {
            OrderLine line = new OrderLine();
            line.order = this;
            line.product = product;
            line.quantity = quantity;
            lines.add(line);
            total += product.price() * quantity;
        }

        long id() {
            return id;
        }

        long total() {
            return total;
        }

        List<OrderLine> lines() {
            return List.copyOf(lines);
        }
    }

    /** A product in an order. */
    @Entity(name = "OrderLine")
    @Table(name = "order_line")
    static class OrderLine {
        @Id
        @GeneratedValue(strategy = GenerationType.SEQUENCE, generator = "order_line_ids")
        @SequenceGenerator(name = "order_line_ids", sequenceName = "order_line_ids", allocationSize = 50)
        private long id;

        @ManyToOne(fetch = FetchType.LAZY, optional = false)
        @JoinColumn(name = "order_id")
        private PurchaseOrder order;

        @ManyToOne(fetch = FetchType.LAZY, optional = false)
        @JoinColumn(name = "product_id")
        private Product product;

        private int quantity;

        PurchaseOrder order() {
            return order;
        }

        Product product() {
            return product;
        }

        int quantity() {
            return quantity;
        }
    }
}

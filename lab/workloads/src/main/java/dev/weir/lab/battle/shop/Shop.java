package dev.weir.lab.battle.shop;

import dev.weir.lab.battle.shop.Entities.Customer;
import dev.weir.lab.battle.shop.Entities.OrderLine;
import dev.weir.lab.battle.shop.Entities.Product;
import dev.weir.lab.battle.shop.Entities.PurchaseOrder;
import jakarta.persistence.EntityManager;
import jakarta.persistence.PersistenceContext;
import java.util.List;
import java.util.random.RandomGenerator;
import org.springframework.transaction.annotation.Transactional;

/**
 * The service tier. As in many a company, each method is one transaction, and the other system is asked within it: the
 * connection is held meanwhile, though the database has nothing to do.
 */
public class Shop {
    private static final int NEWEST_ORDERS = 5;

    private final Downstream downstream;

    @PersistenceContext
    @SuppressWarnings("NullAway.Init")
    private EntityManager entities;

    Shop(Downstream downstream) {
        this.downstream = downstream;
    }

    /** What a customer sees first. */
    public record CustomerPage(String name, String region, long spent, List<BoughtLine> bought) {}

    /** One line of what was bought. */
    public record BoughtLine(long order, String product, String supplier, int quantity) {}

    /** What a customer sees of a product. */
    public record ProductPage(String name, String supplier, long price) {}

    /** A product and how many of it. */
    public record Item(long product, int quantity) {}

    /** A customer with the region, and the newest orders with lines, products and suppliers. */
    @Transactional(readOnly = true)
    public CustomerPage customerPage(long customerId, RandomGenerator random) {
        Customer customer = entities.createQuery(
                        "select c from Customer c join fetch c.region where c.id = :id", Customer.class)
                .setParameter("id", customerId)
                .getSingleResult();
        downstream.ask(random);
        List<Long> newest = entities.createQuery(
                        "select o.id from PurchaseOrder o where o.customer.id = :id order by o.id desc", Long.class)
                .setParameter("id", customerId)
                .setMaxResults(NEWEST_ORDERS)
                .getResultList();
        List<PurchaseOrder> orders =
                newest.isEmpty() ? List.of() : ordersSince(customerId, newest.get(newest.size() - 1));
        return new CustomerPage(
                customer.name(),
                customer.region().name(),
                customer.spent(),
                orders.stream()
                        .flatMap(order -> order.lines().stream())
                        .map(Shop::bought)
                        .toList());
    }

    private List<PurchaseOrder> ordersSince(long customerId, long orderId) {
        return entities.createQuery(
                        "select o from PurchaseOrder o join fetch o.lines l join fetch l.product p join fetch p.supplier"
                                + " where o.customer.id = :id and o.id >= :since order by o.id desc",
                        PurchaseOrder.class)
                .setParameter("id", customerId)
                .setParameter("since", orderId)
                .getResultList();
    }

    private static BoughtLine bought(OrderLine line) {
        Product product = line.product();
        return new BoughtLine(
                line.order().id(), product.name(), product.supplier().name(), line.quantity());
    }

    /** A product with its supplier. */
    @Transactional(readOnly = true)
    public ProductPage productPage(long productId, RandomGenerator random) {
        Product product = entities.createQuery(
                        "select p from Product p join fetch p.supplier where p.id = :id", Product.class)
                .setParameter("id", productId)
                .getSingleResult();
        downstream.ask(random);
        return new ProductPage(product.name(), product.supplier().name(), product.price());
    }

    /** Buys: writes an order with its lines and what the customer has spent, all or nothing; returns the total in cents. */
    @Transactional
    public long order(long customerId, List<Item> items, RandomGenerator random) {
        Customer customer = entities.find(Customer.class, customerId);
        PurchaseOrder order = new PurchaseOrder(customer);
        for (Item item : items) {
            order.add(entities.find(Product.class, item.product()), item.quantity());
        }
        downstream.ask(random);
        entities.persist(order);
        customer.spend(order.total());
        return order.total();
    }
}

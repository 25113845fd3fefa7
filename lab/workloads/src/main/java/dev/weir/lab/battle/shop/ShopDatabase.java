package dev.weir.lab.battle.shop;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.UUID;
import javax.sql.DataSource;
import org.hsqldb.jdbc.JDBCDataSource;
import org.jspecify.annotations.Nullable;

/**
 * The shop's tables, with as many customers and products as asked for, in an HSQLDB in memory of their own or on a server.
 * Readers and writers do not lock one another out (MVCC). Closing it forgets the data in memory.
 */
public final class ShopDatabase implements AutoCloseable {
    private static final int REGIONS = 10;
    private static final int SUPPLIERS = 20;
    private static final int ORDERS_PER_CUSTOMER = 5;
    private static final int LINES_PER_ORDER = 3;
    private static final int FIRST_NEW_ID = 10_000_000;

    private static final String[] SCHEMA = {
        "create table region (id bigint primary key, name varchar(40) not null)",
        "create table supplier (id bigint primary key, name varchar(40) not null)",
        "create table product (id bigint primary key, name varchar(40) not null, price bigint not null,"
                + " supplier_id bigint not null references supplier)",
        "create table customer (id bigint primary key, name varchar(40) not null, spent bigint not null,"
                + " version integer not null, region_id bigint not null references region)",
        "create table purchase_order (id bigint primary key, total bigint not null,"
                + " customer_id bigint not null references customer)",
        "create table order_line (id bigint primary key, quantity integer not null,"
                + " order_id bigint not null references purchase_order, product_id bigint not null references product)",
        "create index newest_orders on purchase_order (customer_id, id)",
        "create sequence purchase_order_ids as bigint start with " + FIRST_NEW_ID + " increment by 50",
        "create sequence order_line_ids as bigint start with " + FIRST_NEW_ID + " increment by 50"
    };

    private final DataSource source;
    private final boolean isInMemory;

    /**
     * Makes the tables.
     *
     * @param server where; null: in memory
     */
    public ShopDatabase(@Nullable DataSource server, int customers, int products) throws SQLException {
        isInMemory = server == null;
        source = server == null ? inMemory() : server;
        try (Connection connection = source.getConnection()) {
            try (Statement statement = connection.createStatement()) {
                for (String sql : SCHEMA) {
                    statement.execute(sql);
                }
                // HSQLDB has an index for each foreign key, PostgreSQL has MVCC.
                statement.execute(
                        isInMemory
                                ? "set database transaction control mvcc"
                                : "create index lines_of_order on order_line (order_id)");
            }
            connection.setAutoCommit(false);
            fill(connection, customers, products);
            connection.commit();
        }
    }

    private static DataSource inMemory() {
        JDBCDataSource source = new JDBCDataSource();
        source.setUrl("jdbc:hsqldb:mem:shop-" + UUID.randomUUID());
        source.setUser("SA");
        return source;
    }

    private static void fill(Connection connection, int customers, int products) throws SQLException {
        insert(connection, "region values (?, 'region ' || ?)", REGIONS, i -> new long[] {i, i});
        insert(connection, "supplier values (?, 'supplier ' || ?)", SUPPLIERS, i -> new long[] {i, i});
        insert(connection, "product values (?, 'product ' || ?, ?, ?)", products, i -> {
            return new long[] {i, i, price(i), i % SUPPLIERS};
        });
        insert(connection, "customer values (?, 'customer ' || ?, 0, 0, ?)", customers, i -> {
            return new long[] {i, i, i % REGIONS};
        });
        int orders = customers * ORDERS_PER_CUSTOMER;
        insert(connection, "purchase_order values (?, 0, ?)", orders, i -> new long[] {i, i % customers});
        insert(connection, "order_line values (?, 1, ?, ?)", orders * LINES_PER_ORDER, i -> {
            return new long[] {i, i / LINES_PER_ORDER, i % products};
        });
    }

    /** In cents. */
    static long price(long product) {
        return 100 + product % 900;
    }

    /** The values of a row. */
    @FunctionalInterface
    private interface Row {
        long[] at(int number);
    }

    private static void insert(Connection connection, String into, int rows, Row row) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("insert into " + into)) {
            for (int i = 0; i < rows; i++) {
                long[] values = row.at(i);
                for (int at = 0; at < values.length; at++) {
                    statement.setLong(at + 1, values[at]);
                }
                statement.addBatch();
            }
            statement.executeBatch();
        }
    }

    /** Connections to it, each a physical one, made in no time. */
    public DataSource source() {
        return source;
    }

    /** How many orders were placed since the beginning. */
    public long orders() throws SQLException {
        return number("select count(*) from purchase_order where id >= " + FIRST_NEW_ID);
    }

    /** How many lines these orders have. */
    public long lines() throws SQLException {
        return number("select count(*) from order_line where id >= " + FIRST_NEW_ID);
    }

    /** What all customers have spent, in cents. */
    public long spent() throws SQLException {
        return number("select sum(spent) from customer");
    }

    /** What the orders come to, in cents. */
    public long totals() throws SQLException {
        return number("select sum(total) from purchase_order");
    }

    private long number(String query) throws SQLException {
        try (Connection connection = source.getConnection();
                Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery(query)) {
            result.next();
            return result.getLong(1);
        }
    }

    @Override
    public void close() throws SQLException {
        if (!isInMemory) {
            return;
        }
        try (Connection connection = source.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("shutdown immediately");
        }
    }
}

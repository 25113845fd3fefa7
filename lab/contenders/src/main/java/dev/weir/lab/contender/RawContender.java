package dev.weir.lab.contender;

import dev.weir.lab.stub.BareDataSource;
import dev.weir.lab.stub.StubDataSource;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Connections that are there and never returned: the floor under all pools. A thread's id says which one it gets, so that
 * there must be as many of them as threads. With the parameter {@code handles=thin} they are behind handles that only pass
 * calls on, for the stub driver: the floor under all pools that have handles.
 */
final class RawContender implements Contender {

    @Override
    public String name() {
        return "raw";
    }

    @Override
    public @Nullable Class<?> type() {
        return null;
    }

    @Override
    public Terms terms(Profile profile) {
        return new Terms(Terms.NEVER, Terms.NO_COUNTS);
    }

    @Override
    public List<String> limits(Profile profile) {
        return List.of("not a pool: connections are neither tested, reset nor returned, and two threads may share one");
    }

    @Override
    public Set<String> parameters() {
        return Set.of("handles");
    }

    @Override
    public PoolUnderTest open(PoolSpec spec) throws SQLException {
        if (spec.physical() instanceof StubDataSource stub) {
            StubDataSource lasting = stub.withoutPool(Integer.highestOneBit(spec.maximum()));
            return PoolUnderTest.of(thin(spec) ? new Thin(lasting) : lasting, () -> Counts.UNKNOWN, () -> {});
        }
        if (thin(spec)) {
            throw new SQLException("raw[handles=thin]: only the stub driver has such handles");
        }
        Lasting source = new Lasting();
        try {
            for (int i = 0; i < spec.maximum(); i++) {
                source.add(spec.physical().getConnection());
            }
        } catch (SQLException e) {
            source.close();
            throw e;
        }
        return PoolUnderTest.of(source, () -> Counts.UNKNOWN, source::close);
    }

    private static boolean thin(PoolSpec spec) throws SQLException {
        String handles = spec.parameters().get("handles");
        if (handles != null && !handles.equals("thin")) {
            throw new SQLException("raw[handles=" + handles + "] (expected: thin)");
        }
        return handles != null;
    }

    /** Lends the stub driver's connections behind handles. */
    private static final class Thin extends BareDataSource {
        private final StubDataSource lasting;

        Thin(StubDataSource lasting) {
            this.lasting = lasting;
        }

        @Override
        public Connection getConnection() {
            return lasting.getThinHandle();
        }
    }

    /** Lends a real driver's connections with a close() that does nothing. */
    private static final class Lasting extends BareDataSource {
        private final List<Connection> physical = new ArrayList<>();
        private final List<Connection> lent = new ArrayList<>();

        void add(Connection connection) {
            physical.add(connection);
            lent.add((Connection) Proxy.newProxyInstance(
                    Lasting.class.getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, arguments) -> {
                        if (method.getName().equals("close")) {
                            return null;
                        }
                        try {
                            return method.invoke(connection, arguments);
                        } catch (InvocationTargetException e) {
                            throw e.getCause() == null ? e : e.getCause();
                        }
                    }));
        }

        @Override
        public Connection getConnection() {
            return lent.get(Math.floorMod((int) Thread.currentThread().getId(), lent.size()));
        }

        void close() throws SQLException {
            for (Connection connection : physical) {
                connection.close();
            }
        }
    }
}

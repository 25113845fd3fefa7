package dev.weir.internal.engine;

import dev.weir.internal.sockets.ScriptedSockets;
import dev.weir.internal.sources.ConnectionSource;
import dev.weir.spi.Credentials;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A database and its driver in a {@link SimulatedWorld}. A call is answered at once, since its caller lets the time
 * pass before. Only the calls of a return take the time themselves. A session knows all that is to be true of it.
 */
final class SimulatedServer implements ConnectionSource {
    /** The way in which connects and tests go now. */
    enum State {
        UP,
        SLOW,
        REFUSING,
        REFUSING_CREDENTIALS,
        FULL,
        HANGING,
        BROKEN
    }

    /** Knows no other drivers, and so is quick to say that it does not. */
    private static final ClassLoader LOADER = ClassLoader.getPlatformClassLoader();

    private final SimulatedWorld world;
    State state = State.UP;
    long opened;
    long closed;
    private long calls;

    /** No connection that last proved alive before this time may be lent untested. */
    long suspectBefore = Long.MIN_VALUE;

    /** The pool can look at the sockets. */
    private final boolean watched;

    /** A thread that looks at a socket may be held up. */
    Runnable look = () -> {};

    /** No single call fails any more. */
    boolean healed;

    SimulatedServer(SimulatedWorld world) {
        this.world = world;
        this.watched = world.chance(2);
    }

    /** One connection, as the server and the test see it. */
    final class Session implements InvocationHandler {
        final long id;
        final Connection connection;
        private final Statement statement = new Answering(this).statement;
        boolean autoCommit = true;
        boolean killed;
        boolean closed;

        /** The user who has it. */
        @Nullable
        SimulatedUser holder;

        /** The reason why it must not be lent again. */
        @Nullable
        String barred;

        private long barredAt;

        /** When it last proved alive, as the pool may know it; when a call of its user was last answered. */
        long provedAt;

        long answeredAt = Long.MIN_VALUE;

        /**
         * Its return, under way, proves that it lives: the last call was answered, and no other connection was found dead since.
         */
        boolean proves;

        /** It passed a test of which the pool has not heard. */
        private boolean passed;

        /** Its last call failed, though it lives. */
        boolean doubtful;

        /** Not later than it was last released: its return, its test or its connect was still under way then. */
        long releasedAt;

        /** When its user last began to give it back; before all time if it was tested since. */
        long returnedAt = Long.MIN_VALUE;

        /** Since when words that nobody asked for wait to be read. */
        long spokenAt = Long.MAX_VALUE;

        /** The number of times that somebody set out to close it. */
        int closes;

        /** Since when its last test is under way; since when, and under which word, the Keeper has seen it return. */
        long testedSince;

        long returningSince = Long.MAX_VALUE;
        long returningOf;

        /** The number of turns that the Keeper had made when its close ended. */
        long goneAtTurn = Long.MAX_VALUE / 2;

        /** The calls that hang in it. */
        final List<Runnable> whenClosed = new ArrayList<>(0);

        Session() {
            id = ++opened;
            provedAt = world.now();
            releasedAt = provedAt;
            connection = (Connection) Proxy.newProxyInstance(LOADER, new Class<?>[] {Connection.class}, this);
        }

        boolean isOpen() {
            return !killed && !closed;
        }

        void end() {
            if (!closed) {
                closed = true;
                SimulatedServer.this.closed++;
                whenClosed.forEach(Runnable::run);
                whenClosed.clear();
            }
        }

        @Override
        public @Nullable Object invoke(Object proxy, Method method, Object @Nullable [] arguments) throws Throwable {
            calls++;
            String name = method.getName();
            switch (name) {
                case "hashCode" -> {
                    return (int) id;
                }
                case "equals" -> {
                    return arguments != null && proxy == arguments[0];
                }
                case "toString" -> {
                    return toString();
                }
                default -> meetOwner(name);
            }
            return switch (name) {
                case "close", "abort" -> {
                    world.note(name + " " + this);
                    end();
                    yield null;
                }
                case "isClosed" -> closed;
                case "isValid" -> isValid();
                case "createStatement" -> {
                    network();
                    yield statement;
                }
                case "setAutoCommit" -> {
                    network();
                    autoCommit = arguments != null && (Boolean) arguments[0];
                    yield null;
                }
                case "getAutoCommit" -> autoCommit;
                case "rollback", "clearWarnings", "endRequest" -> {
                    clean(name);
                    yield null;
                }
                default -> nothing(method.getReturnType());
            };
        }

        /** Nobody but its holder calls it while somebody holds it, unless the loan was taken from the holder. */
        private void meetOwner(String method) {
            SimulatedUser owner = holder;
            boolean another = owner != null && world.actor != owner && owner.holds(this);
            world.require(!another, method + " of " + this + ", which " + owner + " holds");
        }

        void bar(String why) {
            if (barred == null) {
                barred = why;
                barredAt = world.now();
            }
        }

        boolean isBarredFor(long at) {
            return barred != null && at > barredAt;
        }

        void provesIfAnswered() {
            if (proves) {
                provedAt = world.now();
            }
        }

        void testHeard() {
            if (passed) {
                passed = false;
                provedAt = world.now();
                doubtful = false;
            }
        }

        /** The server says something unasked. */
        void speak() {
            spokenAt = watched ? Math.min(spokenAt, world.now()) : Long.MAX_VALUE;
        }

        private boolean hasSpoken() {
            look.run();
            return closed || spokenAt < Long.MAX_VALUE;
        }

        private void network() throws SQLException {
            spokenAt = Long.MAX_VALUE;
            if (!isOpen()) {
                throw new SQLException("the connection is lost", "08006");
            }
        }

        private boolean isValid() throws SQLException {
            spokenAt = Long.MAX_VALUE;
            if (!healed && world.chance(60)) {
                throw new SQLException("the test fails", "08006");
            }
            if (isOpen() && (healed || state == State.UP || state == State.SLOW || !world.chance(3))) {
                proves = false;
                passed = true;
                return true;
            }
            return false;
        }

        /** The calls of a return: each may take its time, fail, or hang until the connection is aborted. */
        private void clean(String method) throws SQLException {
            if (!healed && world.actor instanceof SimulatedUser && world.chance(12)) {
                boolean hangs = world.chance(8);
                world.note(method + " of " + this + (hangs ? " hangs" : " takes its time"));
                world.heldUpFor(world.time(10_000, hangs ? 40_000_000_000L : 20_000_000), () -> closed);
                network();
            } else if (!healed && method.equals("rollback") && world.chance(30)) {
                bar("its rollback failed");
                throw new SQLException("rollback fails", "40001");
            } else if (!method.equals("clearWarnings")) {
                network();
            }
            provesIfAnswered();
            releasedAt = world.now();
        }

        @Override
        public String toString() {
            return "session " + id;
        }
    }

    /** A statement whose execution goes as its SQL says. */
    private static final class Answering implements InvocationHandler {
        private final Session session;
        final Statement statement;

        Answering(Session session) {
            this.session = session;
            this.statement = (Statement) Proxy.newProxyInstance(LOADER, new Class<?>[] {Statement.class}, this);
        }

        @Override
        public @Nullable Object invoke(Object proxy, Method method, Object @Nullable [] arguments) throws Throwable {
            switch (method.getName()) {
                case "hashCode" -> {
                    return System.identityHashCode(proxy);
                }
                case "equals" -> {
                    return arguments != null && proxy == arguments[0];
                }
                case "execute" -> {
                    session.meetOwner("execute");
                    session.network();
                    switch (String.valueOf(arguments == null ? null : arguments[0])) {
                        case "FAIL" -> throw new SQLException("a wrong value", "22001");
                        case "LOSE" -> {
                            session.killed = true;
                            throw new SQLException("the connection is lost", "08006");
                        }
                        case "BREAK" -> throw new IllegalStateException("a bug of the driver");
                        default -> {}
                    }
                    return false;
                }
                default -> {
                    return nothing(method.getReturnType());
                }
            }
        }
    }

    private static @Nullable Object nothing(Class<?> type) {
        if (type == int.class) {
            return 0;
        }
        return type == long.class ? (Object) 0L : type == boolean.class ? false : null;
    }

    static Session of(Connection physical) {
        return (Session) Proxy.getInvocationHandler(physical);
    }

    /** The number of calls that its connections got. */
    long calls() {
        return calls;
    }

    /** The time that a call of a job takes, if it begins now. */
    long callTakes() {
        if (!healed && (state == State.HANGING ? !world.chance(3) : world.chance(80))) {
            return world.time(1_000_000_000L, 100_000_000_000L);
        }
        return world.time(50_000, state == State.SLOW ? 2_000_000_000L : 8_000_000);
    }

    @Override
    public Opened open(@Nullable Credentials as) throws SQLException {
        Connection connection = connect();
        return new Opened(connection, watched ? ScriptedSockets.whoseServer(of(connection)::hasSpoken) : null);
    }

    @Override
    public Connection connect() throws SQLException {
        if (!healed && world.chance(50)) {
            throw new SQLException("a connect fails", "08001");
        }
        if (!healed && world.chance(300)) {
            throw new NoClassDefFoundError("of the driver");
        }
        switch (state) {
            case REFUSING -> throw new SQLException("refused", "08001");
            case REFUSING_CREDENTIALS -> throw new SQLException("unknown user", "28P01");
            case FULL -> throw new SQLException("too many clients", "53300");
            case BROKEN -> throw new IllegalStateException("a bug of the driver");
            default -> {}
        }
        Session session = new Session();
        world.note("opened " + session);
        return session.connection;
    }
}

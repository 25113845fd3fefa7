package dev.weir.internal.engine;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZZ_Result;
import org.openjdk.jcstress.infra.results.ZZ_Result;

/**
 * P1, P3, P4 of a user's connection that is bound and given back by itself, in a pool of one: whatever races, the connection
 * comes home once or is gone, no call meets it once another user has it, and no thread waits until its time is up.
 */
public class BindingStress {
    private static final String OTHERS = "SELECT 'other'";

    /** One user, who may have the only connection, and another who wants it. */
    static class Users {
        final RealPool real = RealPool.sharing();
        final Connection user = real.connection();
        final Connection other = real.connection();
        private final boolean meets = ThreadLocalRandom.current().nextBoolean();
        private volatile boolean called;
        private volatile boolean waited;

        /** Whether the user's call was answered; false if his connection is closed. */
        boolean call(Work work) {
            try {
                work.run();
                return true;
            } catch (SQLTransientConnectionException e) {
                waited = true;
                return false;
            } catch (SQLException e) {
                return false;
            } finally {
                called = true;
            }
        }

        /** Of half of the pairs of threads: until the other has taken the connection, or is done. Most would miss each other. */
        void meet() {
            for (int i = 0; meets && !called && real.idle() == 1 && i < 50_000; i++) {
                Thread.onSpinWait();
            }
        }

        Statement opened() {
            try {
                return user.createStatement();
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        }

        void transaction() {
            if (!call(() -> user.setAutoCommit(false)) || !call(() -> other.setAutoCommit(false)) || !execute(user)) {
                throw new IllegalStateException("no transaction");
            }
        }

        boolean execute(Connection connection) {
            String mine = connection == user ? "SELECT 'user'" : OTHERS;
            return call(() -> {
                try (Statement statement = connection.createStatement()) {
                    statement.execute(mine);
                }
            });
        }

        void close() {
            boolean ignored = call(user::close);
        }

        void abort() {
            boolean ignored = call(() -> user.abort(Runnable::run));
        }

        /** The user has closed his, which a second close() might make good: it is home, and can be had. */
        boolean isHome() {
            return real.idle() == 1 && real.retired() == 0 && real.ended() == 0 && isServed();
        }

        boolean isGone() {
            return real.idle() == 0 && real.live() == 0 && real.retired() == 1 && real.ended() > 0 && !waited;
        }

        private boolean isServed() {
            return !waited && call(() -> other.isValid(1)) && real.idle() == 1;
        }
    }

    interface Work {
        void run() throws SQLException;
    }

    /** Two threads call on one connection that has none: (answered, answered, one loan that comes home). */
    @JCStressTest
    @Outcome(
            id = "true, true, true",
            expect = ACCEPTABLE,
            desc = "one bound it, the other waited for that, or came after")
    @Outcome(expect = FORBIDDEN, desc = "bound twice, lost, or one waited until its time was up")
    @State
    public static class BindBind extends Users {
        private final long before = real.loans();

        @Actor
        public void first(ZZZ_Result r) {
            r.r1 = call(user::createStatement);
        }

        @Actor
        public void second(ZZZ_Result r) {
            r.r2 = call(user::createStatement);
        }

        @Arbiter
        public void after(ZZZ_Result r) {
            boolean bound = real.loans() == before + 1 && real.idle() == 0;
            close();
            r.r3 = bound && isHome();
        }
    }

    /** One thread closes what another binds, and gives back, by a call: (answered, home). */
    @JCStressTest
    @Outcome(
            id = {"true, true", "false, true"},
            expect = ACCEPTABLE,
            desc = "answered before it was closed, or told that it is")
    @Outcome(expect = FORBIDDEN, desc = "the connection is lost, or given back twice")
    @State
    public static class CloseBind extends Users {
        @Actor
        public void one() {
            meet();
            close();
        }

        @Actor
        public void call(ZZ_Result r) {
            r.r1 = call(() -> user.isValid(1));
        }

        @Arbiter
        public void after(ZZ_Result r) {
            r.r2 = isHome();
        }
    }

    /** The same while another thread keeps what it binds: (answered, home). */
    @JCStressTest
    @Outcome(
            id = {"true, true", "false, true"},
            expect = ACCEPTABLE,
            desc = "bound before it was closed, or told that it is")
    @Outcome(expect = FORBIDDEN, desc = "the connection is lost, or given back twice")
    @State
    public static class CloseBindAndKeep extends Users {
        @Actor
        public void one() {
            meet();
            close();
        }

        @Actor
        public void call(ZZ_Result r) {
            r.r1 = call(user::createStatement);
        }

        @Arbiter
        public void after(ZZ_Result r) {
            r.r2 = isHome();
        }
    }

    /** One thread closes the connection, another the statement that held it: (closed without failure, home). */
    @JCStressTest
    @Outcome(id = "true, true", expect = ACCEPTABLE, desc = "one of the two gave it back")
    @Outcome(expect = FORBIDDEN, desc = "both gave it back, or neither")
    @State
    public static class CloseGiveBack extends Users {
        private final Statement statement = opened();

        @Actor
        public void one() {
            close();
        }

        @Actor
        public void other(ZZ_Result r) {
            r.r1 = call(statement::close);
        }

        @Arbiter
        public void after(ZZ_Result r) {
            r.r2 = isHome();
        }
    }

    /** One thread aborts what another binds, and gives back, by a call: (answered, home or gone). */
    @JCStressTest
    @Outcome(
            id = {"true, true", "false, true"},
            expect = ACCEPTABLE,
            desc = "answered, or told that it is closed; aborted, or given back before")
    @Outcome(expect = FORBIDDEN, desc = "lent again though aborted, given up twice, or by nobody")
    @State
    public static class AbortBind extends Users {
        @Actor
        public void one() {
            meet();
            abort();
        }

        @Actor
        public void call(ZZ_Result r) {
            r.r1 = call(() -> user.isValid(1));
        }

        @Arbiter
        public void after(ZZ_Result r) {
            r.r2 = isGone() || isHome();
        }
    }

    /** One thread aborts the connection, another closes the statement that held it: (closed without failure, home or gone). */
    @JCStressTest
    @Outcome(id = "true, true", expect = ACCEPTABLE, desc = "aborted, or given back before")
    @Outcome(expect = FORBIDDEN, desc = "lent again though aborted, given up twice, or by nobody")
    @State
    public static class AbortGiveBack extends Users {
        private final Statement statement = opened();

        @Actor
        public void one() {
            abort();
        }

        @Actor
        public void other(ZZ_Result r) {
            r.r1 = call(statement::close);
        }

        @Arbiter
        public void after(ZZ_Result r) {
            r.r2 = isGone() || isHome();
        }
    }

    /** A connection is given back while another user wants it: (served, home). */
    @JCStressTest
    @Outcome(id = "true, true", expect = ACCEPTABLE, desc = "found, woken, or handed over")
    @Outcome(expect = FORBIDDEN, desc = "not woken, or lost")
    @State
    public static class GiveBackServes extends Users {
        private final Statement statement = opened();

        @Actor
        public void one() {
            boolean ignored = call(statement::close);
        }

        @Actor
        public void wants(ZZ_Result r) {
            r.r1 = call(() -> other.isValid(1));
        }

        @Arbiter
        public void after(ZZ_Result r) {
            close();
            r.r2 = isHome();
        }
    }

    /**
     * A transaction ends, and so the binding, while another thread of the same user begins the next; then another user has one:
     * (the other user was alone in it, the user's statement ran, home).
     */
    @JCStressTest
    @Outcome(id = "true, true, true", expect = ACCEPTABLE, desc = "before the commit, after it, or on the next binding")
    @Outcome(expect = FORBIDDEN, desc = "the statement met a connection that was given back")
    @State
    public static class CommitStatement extends Users {
        public CommitStatement() {
            transaction();
        }

        @Actor
        public void commit(ZZZ_Result r) {
            boolean ignored = call(user::commit);
            r.r1 = execute(other) && real.texts().equals(List.of(OTHERS)) && call(other::rollback);
        }

        @Actor
        public void statement(ZZZ_Result r) {
            r.r2 = execute(user) && call(user::rollback);
        }

        @Arbiter
        public void after(ZZZ_Result r) {
            close();
            r.r3 = isHome();
        }
    }
}

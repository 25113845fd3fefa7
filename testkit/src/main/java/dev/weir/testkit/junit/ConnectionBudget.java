package dev.weir.testkit.junit;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.ResourceLock;

/**
 * Fails a test, or each test of a class, that does one of three things with the connections of a {@link WatchedDataSource}:
 *
 * <ul>
 *   <li><b>leaks</b>: a connection that was acquired since the test began, its {@code @BeforeEach} methods included, is not
 *       closed when it has ended, its {@code @AfterEach} methods included. One that another thread holds has a second more.
 *       It is closed then, so that the next test finds the pool whole.
 *   <li><b>nests</b>: a thread acquires a connection while it holds as many as the budget. Threads that do so can wait for
 *       each other for ever once as many of them run as the pool has connections.
 *   <li><b>waits</b>: the thread that acquired a connection sleeps, waits for another thread, or reads from a socket that is
 *       not the driver's, while it holds the connection; switched off by {@link #mayWait()}. This is seen by looking at the
 *       threads' stacks every 10 ms: reported is what two looks one after the other find in the same wait, so what ends
 *       within 10 ms is not seen, and what lasts 30 ms is. A wait within a call of JDBC, or of a class in the
 *       packages of a registered driver, is the connection's own.
 * </ul>
 *
 * The message says for each where the connection was acquired. Tests with a budget never run at the same time as each other:
 * what other code of the JVM acquires meanwhile counts as the test's.
 *
 * <pre>{@code
 * @ConnectionBudget(1)
 * class CheckoutTest {
 *     private final DataSource dataSource = WatchedDataSource.of(pool);
 *     ...
 * }
 * }</pre>
 */
@Documented
@Inherited
@Target({ElementType.TYPE, ElementType.METHOD})
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(ConnectionBudgetExtension.class)
@ResourceLock("dev.weir.testkit.junit.ConnectionBudget")
public @interface ConnectionBudget {

    /** The number of connections that a thread may hold at a time, of all watched data sources together; 0 or more. */
    int value() default 1;

    /** Whether a thread that holds a connection may sleep, wait, or talk to someone else. */
    boolean mayWait() default false;
}

/**
 * For tests of an application with JUnit: {@link dev.weir.testkit.junit.ConnectionBudget} fails a test whose code leaks a
 * connection, takes more of them at a time than it may, or keeps one while it waits for something else. It knows no pool;
 * what it watches is any {@link javax.sql.DataSource} that went through {@link dev.weir.testkit.junit.WatchedDataSource}.
 */
@NullMarked
package dev.weir.testkit.junit;

import org.jspecify.annotations.NullMarked;

/**
 * The means to test a JDBC connection pool without luck. Every call of a stub database can be delayed, hung or failed
 * ({@link dev.weir.testkit.StubDatabase}). A clock is moved by hand ({@link dev.weir.testkit.ManualTicker}), and a TCP
 * proxy has faults ({@link dev.weir.testkit.TcpProxy}). The promises of a good pool are checks that run over any
 * {@link javax.sql.DataSource} ({@link dev.weir.testkit.ContractSuite}). The package knows no pool and no test
 * framework; what is for JUnit is in {@link dev.weir.testkit.junit}.
 */
@NullMarked
package dev.weir.testkit;

import org.jspecify.annotations.NullMarked;

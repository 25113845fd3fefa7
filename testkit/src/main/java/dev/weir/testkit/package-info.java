/**
 * What it takes to test a JDBC connection pool without luck: a stub database whose every call can be delayed, hung or
 * failed ({@link dev.weir.testkit.StubDatabase}), a clock that is moved by hand ({@link dev.weir.testkit.ManualTicker}),
 * a TCP proxy with faults ({@link dev.weir.testkit.TcpProxy}), and the promises of a good pool as checks that run over any
 * {@link javax.sql.DataSource} ({@link dev.weir.testkit.ContractSuite}). It knows no pool and no test framework; what is for
 * JUnit is in {@link dev.weir.testkit.junit}.
 */
@NullMarked
package dev.weir.testkit;

import org.jspecify.annotations.NullMarked;

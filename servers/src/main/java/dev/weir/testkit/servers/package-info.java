/**
 * Real servers for tests, each started when it is needed and gone with the JVM: PostgreSQL, a primary and its standby, MariaDB,
 * PgBouncer; and what such tests leave behind. Weir's own: it is not published.
 */
@NullMarked
package dev.weir.testkit.servers;

import org.jspecify.annotations.NullMarked;

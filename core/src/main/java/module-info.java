/** Weir: a JDBC connection pool. */
module dev.weir {
    requires transitive java.sql;
    requires static java.management; // these three a runtime may lack
    requires static jdk.jfr;
    requires static transitive java.naming; // for WeirObjectFactory alone
    requires static org.jspecify;

    uses java.lang.System.Logger; // a library that says where the pool logs to
    uses java.sql.Driver;

    exports dev.weir;
    exports dev.weir.spi;
}

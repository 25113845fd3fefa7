package dev.weir.spring.boot;

import java.net.ConnectException;
import java.net.UnknownHostException;
import java.sql.SQLException;
import java.sql.SQLTimeoutException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.core.env.Environment;

/** Says why a pool could not open its first connection, which property that is about, and what to do. */
@Order(Ordered.HIGHEST_PRECEDENCE)
final class StartFailureAnalyzer extends AbstractFailureAnalyzer<PoolStartException> {
    private final Environment environment;

    StartFailureAnalyzer(Environment environment) {
        this.environment = environment;
    }

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, PoolStartException cause) {
        PropertyNames names = new PropertyNames(environment, cause.prefix());
        return new FailureAnalysis(
                "The connection pool of " + cause.prefix() + ".* could not open its first connection: "
                        + cause.getMessage(),
                action(names, causes(cause)),
                cause);
    }

    private static String action(PropertyNames names, List<Throwable> causes) {
        if (any(causes, e -> String.valueOf(e.getMessage()).startsWith("fleet "))) {
            return ofFleet(names, causes);
        }
        if (any(causes, e -> stateOf(e).startsWith("28"))) {
            return "The database refuses the user. Check " + names.withOrigin("username") + " and "
                    + names.withOrigin("password") + ", or the CredentialsProvider bean.";
        }
        if (any(causes, e -> String.valueOf(e.getMessage()).startsWith("no driver accepts the url"))) {
            return "No driver that is there takes this url. Add the database's driver to the dependencies, or correct "
                    + names.withOrigin("url") + ".";
        }
        for (String sql : List.of("connectionInitSql", "connectionTestQuery")) {
            if (any(causes, e -> String.valueOf(e.getMessage()).startsWith(sql + " failed") && !isAway(e))) {
                return "The SQL of " + names.withOrigin(sql) + " does not run on a new connection. Correct it.";
            }
        }
        if (any(causes, e -> stateOf(e).equals("42501") || isOfMySql(e, 1044))) {
            return "The user may not use this database. Check " + names.withOrigin("username")
                    + " and the name at the end of " + names.withOrigin("url") + ", or grant it.";
        }
        if (any(causes, e -> stateOf(e).equals("3D000") || isOfMySql(e, 1049))) {
            return "The database server has no such database. Check the name at the end of " + names.withOrigin("url")
                    + ", or create it.";
        }
        if (any(causes, e -> stateOf(e).equals("53300") || isOfMySql(e, 1040) || isOfMySql(e, 1203))) {
            return "The database has no place for one more connection. Lower " + names.withOrigin("maximumPoolSize")
                    + " in all that use this database, or raise the limit of the database." + ifAway(names);
        }
        if (any(causes, e -> e instanceof UnknownHostException)) {
            return "The host is not known. Check the host in " + names.withOrigin("url") + "." + ifAway(names);
        }
        if (any(causes, e -> e instanceof ConnectException)) {
            return "Nothing listens there. Check host and port in " + names.withOrigin("url")
                    + ", and that the database runs." + ifAway(names);
        }
        if (any(causes, e -> e instanceof SQLTimeoutException)) {
            return "The connect hangs. Check host and port in " + names.withOrigin("url")
                    + ", and the firewalls on the way; one connect is bounded by " + names.withOrigin("connectTimeout")
                    + "." + ifAway(names);
        }
        if (causes.stream().noneMatch(e -> e instanceof SQLException && e.getCause() != null)) {
            return "No connect ended in time. Check host and port in " + names.withOrigin("url")
                    + "; starting waits for " + names.withOrigin("initializationFailTimeout") + ", one connect for "
                    + names.withOrigin("connectTimeout") + "." + ifAway(names);
        }
        if (names.isSet("dataSourceClassName")) {
            return "Check " + names.withOrigin("dataSourceClassName") + " and " + names.of("dataSourceProperties")
                    + ".*, which are what it is given.";
        }
        return "Check " + names.withOrigin("url") + " and " + names.withOrigin("driverClassName") + "."
                + (any(causes, StartFailureAnalyzer::isAway) ? ifAway(names) : "");
    }

    /** It may come back by itself; what only a change can mend would fail every request instead of the start. */
    private static String ifAway(PropertyNames names) {
        return " To start without a connection, set " + names.of("initializationFailTimeout") + "=-1.";
    }

    private static String ofFleet(PropertyNames names, List<Throwable> causes) {
        return any(causes, e -> String.valueOf(e.getMessage()).contains("has not joined yet"))
                ? "The fleet of " + names.ofFleet("name")
                        + " could not be joined. If its tables are missing, create them"
                        + " before the application starts, as docs/how-to/fleet-database.md of Weir says, or set "
                        + names.ofFleet("create-tables") + "=true; check the rights of " + names.withOrigin("username")
                        + " on them."
                : "All connections of the fleet are in use, or rows of members that were killed hold them. Raise "
                        + names.ofFleet("budget")
                        + ", or guarantee some by " + names.ofFleet("guaranteed")
                        + "; ./weir fleet shows who has them.";
    }

    /** The failure says that the database went away, or was full, not that it refused something. */
    private static boolean isAway(Throwable failure) {
        return stateOf(failure).matches("08.*|57P0.|53300");
    }

    private static boolean any(List<Throwable> causes, Predicate<Throwable> what) {
        return causes.stream().anyMatch(what);
    }

    /** MySQL and MariaDB have a number for what others have an SQLState for. */
    private static boolean isOfMySql(Throwable failure, int code) {
        return failure instanceof SQLException sql
                && sql.getErrorCode() == code
                && Set.of("42000", "08004", "08000", "HY000").contains(stateOf(failure));
    }

    private static String stateOf(Throwable failure) {
        return failure instanceof SQLException sql && sql.getSQLState() != null ? sql.getSQLState() : "";
    }

    private static List<Throwable> causes(Throwable failure) {
        List<Throwable> causes = new ArrayList<>();
        for (Throwable cause = failure; cause != null && causes.size() < 20; cause = cause.getCause()) {
            causes.add(cause);
        }
        return causes;
    }
}

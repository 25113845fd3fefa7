package dev.weir.lab.service.app;

import io.dropwizard.jersey.errors.ErrorMessage;
import jakarta.ws.rs.core.HttpHeaders;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.ext.ExceptionMapper;
import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.SQLRecoverableException;
import java.sql.SQLTransientConnectionException;
import org.jdbi.v3.core.ConnectionException;
import org.jdbi.v3.core.JdbiException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What failed below Jdbi. No connection, or one that broke: 503, to be tried again, whichever pool it was. Anything else
 * is the service's own fault: 500. What happened goes to the log, not to the client.
 */
final class DatabaseFailures implements ExceptionMapper<JdbiException> {
    private static final Logger LOG = LoggerFactory.getLogger(DatabaseFailures.class);
    private static final int RETRY_AFTER_SECONDS = 1;

    @Override
    public Response toResponse(JdbiException failure) {
        if (isAway(failure)) {
            LOG.warn("database away: {}", failure.getMessage());
            return Response.status(Response.Status.SERVICE_UNAVAILABLE)
                    .header(HttpHeaders.RETRY_AFTER, RETRY_AFTER_SECONDS)
                    .type(MediaType.APPLICATION_JSON_TYPE)
                    .entity(new ErrorMessage(503, "the database is away, or too busy; try again"))
                    .build();
        }
        LOG.error("query failed", failure);
        return Response.serverError()
                .type(MediaType.APPLICATION_JSON_TYPE)
                .entity(new ErrorMessage(500, "the query failed; the server's log says why"))
                .build();
    }

    static boolean isAway(JdbiException failure) {
        if (failure instanceof ConnectionException) {
            return true;
        }
        for (@Nullable Throwable cause = failure.getCause(); cause != null; cause = cause.getCause()) {
            if (cause instanceof SQLTransientConnectionException
                    || cause instanceof SQLNonTransientConnectionException
                    || cause instanceof SQLRecoverableException
                    || (cause instanceof SQLException sql && isAway(sql.getSQLState()))) {
                return true;
            }
        }
        return false;
    }

    /** A connection that failed (08), a server that is shut down or starts (57P), one with no place left (53). */
    private static boolean isAway(@Nullable String sqlState) {
        return sqlState != null
                && (sqlState.startsWith("08") || sqlState.startsWith("57P") || sqlState.startsWith("53"));
    }
}

package dev.weir.opentelemetry;

import io.opentelemetry.api.common.AttributeKey;
import java.util.List;

/** The names of the semantic conventions (database client metrics, connection pools), which no API artifact has. */
final class Conventions {
    static final AttributeKey<String> POOL_NAME = AttributeKey.stringKey("db.client.connection.pool.name");
    static final AttributeKey<String> STATE = AttributeKey.stringKey("db.client.connection.state");
    static final AttributeKey<String> ERROR_TYPE = AttributeKey.stringKey("error.type");

    static final String COUNT = "db.client.connection.count";
    static final String IDLE_MAX = "db.client.connection.idle.max";
    static final String IDLE_MIN = "db.client.connection.idle.min";
    static final String MAX = "db.client.connection.max";
    static final String PENDING_REQUESTS = "db.client.connection.pending_requests";
    static final String TIMEOUTS = "db.client.connection.timeouts";
    static final String CREATE_TIME = "db.client.connection.create_time";
    static final String WAIT_TIME = "db.client.connection.wait_time";
    static final String USE_TIME = "db.client.connection.use_time";

    /** Weir's own, as is all of a fleet: the conventions have none for it. */
    static final String LEAKS = "weir.connection.leaks";

    static final String PINNED = "weir.connection.pinned";
    static final String LOAN_TIME = "weir.connection.loan_time";
    static final AttributeKey<String> SPENT = AttributeKey.stringKey("weir.connection.spent");

    static final AttributeKey<String> FLEET = AttributeKey.stringKey("weir.fleet.name");
    static final AttributeKey<String> APPLICATION = AttributeKey.stringKey("weir.fleet.application");
    static final String OF_FLEET = "weir.fleet.";

    /** Of the conventions' first version that has these names. */
    static final String SCHEMA_URL = "https://opentelemetry.io/schemas/1.26.0";

    /** In seconds: those of {@code db.client.operation.duration}; for the times of connections the conventions have none. */
    static final List<Double> BOUNDARIES = List.of(0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1.0, 5.0, 10.0);

    private Conventions() {}
}

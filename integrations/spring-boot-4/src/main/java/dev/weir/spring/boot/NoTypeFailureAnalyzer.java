package dev.weir.spring.boot;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Spring Boot's DataSourceBuilder knows the pools it was built with, and Weir only by name. */
final class NoTypeFailureAnalyzer extends AbstractFailureAnalyzer<IllegalStateException> {

    @Override
    protected @Nullable FailureAnalysis analyze(Throwable rootFailure, IllegalStateException cause) {
        return "No supported DataSource type found".equals(cause.getMessage())
                ? new FailureAnalysis(
                        "A DataSource is built without a type, and none of the pools that Spring Boot looks for is there.",
                        "Name the type: DataSourceBuilder.create().type(WeirDataSource.class).build(). Or let a"
                                + " WeirDataSourceFactory make the pool: create(\"app.orders\") reads app.orders.url and all"
                                + " other settings below app.orders.",
                        cause)
                : null;
    }
}

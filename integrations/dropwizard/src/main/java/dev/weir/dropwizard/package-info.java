/** Weir in Dropwizard: the settings in the application's YAML, the life cycle, the health check and the metrics. */
@NullMarked
package dev.weir.dropwizard;

import org.jspecify.annotations.NullMarked;

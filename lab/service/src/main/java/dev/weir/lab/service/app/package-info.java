/** The questions service itself: Dropwizard, Jdbi and one pool, whichever its YAML names. It runs in a JVM of its own. */
@NullMarked
package dev.weir.lab.service.app;

import org.jspecify.annotations.NullMarked;

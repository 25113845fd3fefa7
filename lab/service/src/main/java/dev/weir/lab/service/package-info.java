/**
 * What others need of the questions service: its data, its database, and the server in a JVM of its own. Nothing here
 * depends on Dropwizard, so that who starts the service does not need its class path.
 */
@NullMarked
package dev.weir.lab.service;

import org.jspecify.annotations.NullMarked;

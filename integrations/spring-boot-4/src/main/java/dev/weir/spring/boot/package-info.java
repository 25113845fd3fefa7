/** Weir in a Spring Boot application: one dependency, configured by {@code spring.datasource.*}. */
@NullMarked
package dev.weir.spring.boot;

import org.jspecify.annotations.NullMarked;

/** What one cycle costs: the JMH benchmarks and the program that runs them in rounds. */
@NullMarked
package dev.weir.lab.bench;

import org.jspecify.annotations.NullMarked;

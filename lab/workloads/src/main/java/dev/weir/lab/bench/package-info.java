/** What one cycle costs: the JMH benchmarks, and how one of them is run. */
@NullMarked
package dev.weir.lab.bench;

import org.jspecify.annotations.NullMarked;

/** Load on a web service: Hyperfoil as the generator, in a JVM of its own. */
@NullMarked
package dev.weir.lab.load;

import org.jspecify.annotations.NullMarked;

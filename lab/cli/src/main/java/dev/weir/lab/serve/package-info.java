/** {@code weir serve}: the questions service, to be asked by hand or by a load generator. */
@NullMarked
package dev.weir.lab.serve;

import org.jspecify.annotations.NullMarked;

/** What users implement: where credentials come from, what a failure means, what time it is, who is told what happens. */
@NullMarked
package dev.weir.spi;

import org.jspecify.annotations.NullMarked;

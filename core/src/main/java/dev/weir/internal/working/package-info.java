/** The room of the workers' threads: jobs with a deadline that call drivers. Not for users. */
@NullMarked
package dev.weir.internal.working;

import org.jspecify.annotations.NullMarked;

/** What the laboratory writes and reads: the folder of a run, its measurements, and the facts of the machine they come from. */
@NullMarked
package dev.weir.lab.runs;

import org.jspecify.annotations.NullMarked;

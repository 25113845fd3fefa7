/** How results are told: tables, files, and the machine they come from. */
@NullMarked
package dev.weir.lab.report;

import org.jspecify.annotations.NullMarked;

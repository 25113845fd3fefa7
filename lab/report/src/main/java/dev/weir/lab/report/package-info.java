/**
 * Reads run folders and writes one self-contained HTML page, with every picture also as SVG and PNG.
 *
 * <p>Read in this order: {@link dev.weir.lab.report.Run} (what is in a folder), {@link dev.weir.lab.report.Section} (what the
 * report says of a run), {@link dev.weir.lab.report.Charts} and {@link dev.weir.lab.report.Picture} (how it is drawn),
 * {@link dev.weir.lab.report.Report} (the page).
 */
@NullMarked
package dev.weir.lab.report;

import org.jspecify.annotations.NullMarked;

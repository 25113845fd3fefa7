/** What a run measured, as tables, sentences, pictures and a page. */
@NullMarked
package dev.weir.lab.report;

import org.jspecify.annotations.NullMarked;

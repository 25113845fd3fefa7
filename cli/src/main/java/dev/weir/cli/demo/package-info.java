/** The pool at work on a real database: a load, a spike, and what became of them. */
@NullMarked
package dev.weir.cli.demo;

import org.jspecify.annotations.NullMarked;

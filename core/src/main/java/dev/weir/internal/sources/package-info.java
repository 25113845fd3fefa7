/** Where connections come from: a URL, a class of a driver, or an object. Not for users. */
@NullMarked
package dev.weir.internal.sources;

import org.jspecify.annotations.NullMarked;

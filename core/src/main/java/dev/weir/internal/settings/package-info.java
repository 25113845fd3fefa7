/**
 * The settings: their names, ranges, contradictions, and values in one pool.
 *
 * <p>Most of it is generated from the table in {@code codegen}, {@code SettingTable}. Knows {@code text} and
 * {@code dev.weir.spi}. Not for users.
 */
@NullMarked
package dev.weir.internal.settings;

import org.jspecify.annotations.NullMarked;

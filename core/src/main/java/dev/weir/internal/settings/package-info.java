/**
 * The settings: what each is called, what it may be, what it means when others are set too, and its value in one pool.
 *
 * <p>Most of it is generated from the table in {@code codegen}, {@code SettingTable}. Knows {@code text} and
 * {@code dev.weir.spi}. Not for users.
 */
@NullMarked
package dev.weir.internal.settings;

import org.jspecify.annotations.NullMarked;

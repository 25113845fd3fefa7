package dev.weir.internal.settings;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One row of the table of settings, which is {@code SettingTable} in {@code codegen}.
 *
 * @param name the name that users write
 * @param byDefault the value where none is given, or null if then there is none, or it follows another setting
 * @param least the least value, or null where there is no range
 * @param most the greatest value, or null where there is no range
 * @param changeable whether it can be changed while the pool runs
 * @param doc one line of documentation
 * @param otherNames the other names that it goes by
 */
record SettingRow(
        String name,
        SettingType type,
        @Nullable Object byDefault,
        @Nullable Comparable<?> least,
        @Nullable Comparable<?> most,
        boolean changeable,
        String doc,
        List<String> otherNames) {}

package dev.weir.lab.report;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Writes maps, lists, records of text and numbers as JSON; enough for result files. */
public final class Json {
    private Json() {}

    public static String write(@Nullable Object value) {
        StringBuilder out = new StringBuilder();
        append(out, value, "\n");
        return out.append('\n').toString();
    }

    private static void append(StringBuilder out, @Nullable Object value, String indent) {
        if (value instanceof Map<?, ?> map) {
            appendMap(out, map, indent);
        } else if (value instanceof List<?> list) {
            appendList(out, list, indent);
        } else if (value instanceof Double number && (number.isNaN() || number.isInfinite())) {
            out.append("null");
        } else if (value == null || value instanceof Number || value instanceof Boolean) {
            out.append(value);
        } else {
            appendText(out, value.toString());
        }
    }

    private static void appendMap(StringBuilder out, Map<?, ?> map, String indent) {
        String separator = "{";
        for (Map.Entry<?, ?> entry : map.entrySet()) {
            out.append(separator).append(indent).append("  ");
            appendText(out, String.valueOf(entry.getKey()));
            out.append(": ");
            append(out, entry.getValue(), indent + "  ");
            separator = ",";
        }
        out.append(map.isEmpty() ? "{}" : indent + "}");
    }

    private static void appendList(StringBuilder out, List<?> list, String indent) {
        String separator = "[";
        for (Object element : list) {
            out.append(separator).append(indent).append("  ");
            append(out, element, indent + "  ");
            separator = ",";
        }
        out.append(list.isEmpty() ? "[]" : indent + "]");
    }

    private static void appendText(StringBuilder out, String text) {
        out.append('"');
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"' || c == '\\') {
                out.append('\\').append(c);
            } else if (c < 0x20) {
                out.append(String.format("\\u%04x", (int) c));
            } else {
                out.append(c);
            }
        }
        out.append('"');
    }
}

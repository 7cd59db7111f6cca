package io.github.postern.client;

import java.util.Collection;
import java.util.Map;
import java.util.stream.Collectors;

/** Writes JSON in ASCII, for the driver. */
final class JsonWriter {
    private JsonWriter() {
    }

    static String write(Object value) {
        if (value instanceof Map) {
            return ((Map<?, ?>) value).entrySet().stream()
                    .map(entry -> string((String) entry.getKey()) + ":" + write(entry.getValue()))
                    .collect(Collectors.joining(",", "{", "}"));
        }
        if (value instanceof Collection) {
            return ((Collection<?>) value).stream().map(JsonWriter::write).collect(Collectors.joining(",", "[", "]"));
        }
        return value instanceof String ? string((String) value) : String.valueOf(value);
    }

    private static String string(String text) {
        StringBuilder out = new StringBuilder(text.length() + 16).append('"');
        for (char each : text.toCharArray()) {
            if (each == '"' || each == '\\') {
                out.append('\\').append(each);
            } else if (each < 0x20 || each > 0x7E) {
                out.append(String.format("\\u%04x", (int) each));
            } else {
                out.append(each);
            }
        }
        return out.append('"').toString();
    }
}

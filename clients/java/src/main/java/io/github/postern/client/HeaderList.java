package io.github.postern.client;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/** Names and values of headers in their order; names compare without regard to case. Immutable. */
final class HeaderList {
    static final HeaderList EMPTY = new HeaderList(List.of());

    private final List<Map.Entry<String, String>> entries;

    private HeaderList(List<Map.Entry<String, String>> entries) {
        this.entries = entries;
    }

    static HeaderList of(Map<String, List<String>> headers) {
        List<Map.Entry<String, String>> entries = new ArrayList<>();
        headers.forEach((name, values) -> values.forEach(value -> entries.add(Map.entry(name, value))));
        return new HeaderList(List.copyOf(entries));
    }

    List<Map.Entry<String, String>> entries() {
        return entries;
    }

    List<String> all(String name) {
        List<String> values = new ArrayList<>();
        for (Map.Entry<String, String> entry : entries) {
            if (entry.getKey().equalsIgnoreCase(name)) {
                values.add(entry.getValue());
            }
        }
        return values;
    }

    Optional<String> first(String name) {
        return all(name).stream().findFirst();
    }

    HeaderList plus(String name, String value) {
        List<Map.Entry<String, String>> more = new ArrayList<>(entries);
        more.add(Map.entry(name, value));
        return new HeaderList(List.copyOf(more));
    }

    /** With this value in place of all values that the name had. */
    HeaderList with(String name, String value) {
        List<Map.Entry<String, String>> more = others(name);
        more.add(Map.entry(name, value));
        return new HeaderList(Collections.unmodifiableList(more));
    }

    HeaderList without(String name) {
        return new HeaderList(Collections.unmodifiableList(others(name)));
    }

    private List<Map.Entry<String, String>> others(String name) {
        List<Map.Entry<String, String>> others = new ArrayList<>(entries.size() + 1);
        for (Map.Entry<String, String> entry : entries) {
            if (!entry.getKey().equalsIgnoreCase(name)) {
                others.add(entry);
            }
        }
        return others;
    }

    /** A value without blanks and tabs at both ends. */
    static String trimmed(String value) {
        int start = 0;
        int end = value.length();
        while (start < end && isBlank(value.charAt(start))) {
            start++;
        }
        while (end > start && isBlank(value.charAt(end - 1))) {
            end--;
        }
        return value.substring(start, end);
    }

    private static boolean isBlank(char character) {
        return character == ' ' || character == '\t';
    }

    /** The names alone, since values may be secret. */
    @Override
    public String toString() {
        return entries.stream().map(Map.Entry::getKey).collect(Collectors.joining(", ", "[", "]"));
    }
}

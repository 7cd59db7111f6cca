package io.github.postern.client;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** One parameter of a query or form, as it stands on the wire. */
final class FormParameter {
    private final byte[] name;
    private final byte[] value;

    private FormParameter(byte[] name, byte[] value) {
        this.name = name;
        this.value = value;
    }

    /** The parameters between {@code &}; empty segments are none, and {@code a} counts as {@code a=}. */
    static List<FormParameter> read(byte[] text) {
        List<FormParameter> parameters = new ArrayList<>();
        int start = 0;
        for (int at = 0; at <= text.length; at++) {
            if (at == text.length || text[at] == '&') {
                if (at > start) {
                    parameters.add(segment(text, start, at));
                }
                start = at + 1;
            }
        }
        return parameters;
    }

    private static FormParameter segment(byte[] text, int start, int end) {
        int equals = start;
        while (equals < end && text[equals] != '=') {
            equals++;
        }
        return new FormParameter(slice(text, start, equals), slice(text, Math.min(equals + 1, end), end));
    }

    private static byte[] slice(byte[] text, int start, int end) {
        return Arrays.copyOfRange(text, start, end);
    }

    byte[] name() {
        return name;
    }

    byte[] value() {
        return value;
    }

    /** Both parts form-decoded; nothing when the percent-encoding is wrong or the result is not UTF-8. */
    Optional<FormParameter> decoded() {
        return decode(name).flatMap(plain -> decode(value).map(other -> new FormParameter(plain, other)));
    }

    boolean isNamed(String text) {
        return Arrays.equals(name, text.getBytes(StandardCharsets.UTF_8));
    }

    /** Joined with others, this decoded parameter could be read as different ones. */
    boolean isAmbiguous() {
        int ampersand = indexOf(value, '&', 0);
        return indexOf(name, '&', 0) >= 0 || indexOf(name, '=', 0) >= 0
                || ampersand >= 0 && indexOf(value, '=', ampersand) >= 0;
    }

    private static int indexOf(byte[] text, char mark, int from) {
        for (int at = from; at < text.length; at++) {
            if (text[at] == mark) {
                return at;
            }
        }
        return -1;
    }

    private static Optional<byte[]> decode(byte[] text) {
        ByteArrayOutputStream plain = new ByteArrayOutputStream(text.length);
        for (int at = 0; at < text.length; at++) {
            if (text[at] == '+') {
                plain.write(' ');
            } else if (text[at] != '%') {
                plain.write(text[at]);
            } else {
                int high = at + 2 < text.length ? digit(text[at + 1]) : -1;
                int low = at + 2 < text.length ? digit(text[at + 2]) : -1;
                if (high < 0 || low < 0) {
                    return Optional.empty();
                }
                plain.write(high << 4 | low);
                at += 2;
            }
        }
        byte[] bytes = plain.toByteArray();
        return Bytes.utf8(bytes).map(valid -> bytes);
    }

    private static int digit(byte character) {
        return character < 0 ? -1 : Character.digit((char) character, 16);
    }
}

package io.github.postern.client;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Reads a JSON text (RFC 8259): objects as {@link Map}, arrays as {@link List}, and {@link String}, {@link Boolean},
 * {@link Long} for whole numbers that fit, {@link Double} for all others, {@code null}. Of equal names the last counts.
 */
final class Json {
    private static final int DEEPEST = 64;

    private final String text;
    private int at;

    private Json(String text) {
        this.text = text;
    }

    /** The object, or nothing when the text is something else or no JSON. */
    static Optional<Map<?, ?>> readObject(String text) {
        try {
            Object value = read(text);
            return value instanceof Map ? Optional.of((Map<?, ?>) value) : Optional.empty();
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    /**
     * The value.
     *
     * @throws IllegalArgumentException when the text is no JSON; the message holds nothing of it
     */
    static Object read(String text) {
        Json json = new Json(text);
        Object value = json.value(0);
        json.skipBlanks();
        if (json.at != text.length()) {
            throw json.wrong();
        }
        return value;
    }

    private Object value(int depth) {
        skipBlanks();
        switch (peek()) {
            case '{':
                return object(depth + 1);
            case '[':
                return array(depth + 1);
            case '"':
                return string();
            case 't':
                return word("true", Boolean.TRUE);
            case 'f':
                return word("false", Boolean.FALSE);
            case 'n':
                return word("null", null);
            default:
                return number();
        }
    }

    private Map<String, Object> object(int depth) {
        checkDepth(depth);
        Map<String, Object> object = new LinkedHashMap<>();
        at++;
        skipBlanks();
        if (take('}')) {
            return object;
        }
        do {
            skipBlanks();
            String name = string();
            skipBlanks();
            expect(':');
            object.put(name, value(depth));
            skipBlanks();
        } while (take(','));
        expect('}');
        return object;
    }

    private List<Object> array(int depth) {
        checkDepth(depth);
        List<Object> array = new ArrayList<>();
        at++;
        skipBlanks();
        if (take(']')) {
            return array;
        }
        do {
            array.add(value(depth));
            skipBlanks();
        } while (take(','));
        expect(']');
        return array;
    }

    private String string() {
        expect('"');
        StringBuilder string = new StringBuilder();
        while (true) {
            char character = next();
            if (character == '"') {
                return string.toString();
            }
            if (character < 0x20) {
                throw wrong();
            }
            string.append(character == '\\' ? escaped() : character);
        }
    }

    private char escaped() {
        char character = next();
        int plain = "\"\\/bfnrt".indexOf(character);
        if (plain >= 0) {
            return "\"\\/\b\f\n\r\t".charAt(plain);
        }
        if (character != 'u' || at + 4 > text.length()) {
            throw wrong();
        }
        int value = 0;
        for (int digits = 0; digits < 4; digits++) {
            char digit = next();
            if (digit > 'f' || Character.digit(digit, 16) < 0) {
                throw wrong();
            }
            value = value << 4 | Character.digit(digit, 16);
        }
        return (char) value;
    }

    private Object number() {
        int start = at;
        take('-');
        boolean zero = peek() == '0';
        if (digits() > 1 && zero) {
            throw wrong();
        }
        boolean whole = true;
        if (take('.')) {
            whole = false;
            digits();
        }
        if (take('e') || take('E')) {
            whole = false;
            if (!take('+')) {
                take('-');
            }
            digits();
        }
        String number = text.substring(start, at);
        if (whole && number.length() <= 18) {
            return Long.valueOf(number);
        }
        return Double.valueOf(number);
    }

    private int digits() {
        int start = at;
        while (at < text.length() && text.charAt(at) >= '0' && text.charAt(at) <= '9') {
            at++;
        }
        if (at == start) {
            throw wrong();
        }
        return at - start;
    }

    private Object word(String word, Object value) {
        if (!text.startsWith(word, at)) {
            throw wrong();
        }
        at += word.length();
        return value;
    }

    private void skipBlanks() {
        while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) {
            at++;
        }
    }

    private char peek() {
        if (at >= text.length()) {
            throw wrong();
        }
        return text.charAt(at);
    }

    private char next() {
        char character = peek();
        at++;
        return character;
    }

    private boolean take(char character) {
        boolean there = at < text.length() && text.charAt(at) == character;
        at += there ? 1 : 0;
        return there;
    }

    private void expect(char character) {
        if (!take(character)) {
            throw wrong();
        }
    }

    private void checkDepth(int depth) {
        if (depth > DEEPEST) {
            throw wrong();
        }
    }

    private IllegalArgumentException wrong() {
        return new IllegalArgumentException("no JSON from character " + at + " on");
    }
}

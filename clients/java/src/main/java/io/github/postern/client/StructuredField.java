package io.github.postern.client;

import java.util.ArrayList;
import java.util.Base64;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Reads dictionaries of structured fields (RFC 8941 §4.2.2). */
final class StructuredField {
    /** Stands for a number, a token or bytes: nothing here wants one. */
    private static final Object OTHER = new Object();
    private static final int MOST_DIGITS = 15;
    private static final int MOST_WHOLE_DIGITS = 12;
    private static final int MOST_FRACTION_DIGITS = 3;

    private final String text;
    private int at;

    private StructuredField(String text) {
        this.text = text;
    }

    /** An item: a {@link String}, a {@link Boolean}, or something else. */
    static final class Item {
        private final Object value;
        private final Map<String, Object> parameters;

        Item(Object value, Map<String, Object> parameters) {
            this.value = value;
            this.parameters = parameters;
        }

        /** The text of a string without parameters. */
        Optional<String> plainText() {
            return value instanceof String && parameters.isEmpty() ? Optional.of((String) value) : Optional.empty();
        }
    }

    /** A member of a dictionary. */
    static final class Member {
        private final String key;
        private final List<Item> items;
        private final Map<String, Object> parameters;

        Member(String key, List<Item> items, Map<String, Object> parameters) {
            this.key = key;
            this.items = items;
            this.parameters = parameters;
        }

        String key() {
            return key;
        }

        /** Those of an inner list; null for another member. */
        List<Item> items() {
            return items;
        }

        Map<String, Object> parameters() {
            return parameters;
        }
    }

    /** The members in their order, of equal keys the last; nothing when the text is no dictionary. */
    static Optional<Collection<Member>> dictionary(String text) {
        StructuredField field = new StructuredField(text);
        try {
            return Optional.of(field.members().values());
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    /** Whether a text is a key of a dictionary. */
    static boolean isKey(String text) {
        StructuredField field = new StructuredField(text);
        try {
            field.key();
        } catch (IllegalArgumentException e) {
            return false;
        }
        return field.at == text.length();
    }

    private Map<String, Member> members() {
        Map<String, Member> members = new LinkedHashMap<>();
        skip(" ");
        boolean isMore = at < text.length();
        while (isMore) {
            Member member = member();
            members.put(member.key(), member);
            skip(" \t");
            isMore = at < text.length();
            if (isMore) {
                expect(',');
                skip(" \t");
            }
        }
        return members;
    }

    private Member member() {
        String key = key();
        if (!take('=')) {
            return new Member(key, null, parameters());
        }
        if (take('(')) {
            List<Item> items = innerList();
            return new Member(key, items, parameters());
        }
        bareItem();
        return new Member(key, null, parameters());
    }

    private List<Item> innerList() {
        List<Item> items = new ArrayList<>();
        for (skip(" "); !take(')'); skip(" ")) {
            items.add(new Item(bareItem(), parameters()));
            if (peek() != ' ' && peek() != ')') {
                throw wrong();
            }
        }
        return items;
    }

    private Map<String, Object> parameters() {
        if (peek() != ';') {
            return Map.of();
        }
        Map<String, Object> parameters = new HashMap<>();
        while (take(';')) {
            skip(" ");
            String key = key();
            parameters.put(key, take('=') ? bareItem() : Boolean.TRUE);
        }
        return parameters;
    }

    private String key() {
        int start = at;
        if (!isLower(peek()) && peek() != '*') {
            throw wrong();
        }
        while (isLower(peek()) || isDigit(peek()) || isOneOf("_-.*", peek())) {
            at++;
        }
        return text.substring(start, at);
    }

    private Object bareItem() {
        char first = peek();
        if (take('"')) {
            return quotedText();
        }
        if (take('?')) {
            boolean isTrue = take('1');
            if (!isTrue) {
                expect('0');
            }
            return isTrue;
        }
        if (take(':')) {
            bytes();
        } else if (isLower(first) || first >= 'A' && first <= 'Z' || first == '*') {
            while (isTokenCharacter(peek())) {
                at++;
            }
        } else {
            number();
        }
        return OTHER;
    }

    private String quotedText() {
        StringBuilder value = new StringBuilder();
        while (!take('"')) {
            if (take('\\') && peek() != '"' && peek() != '\\' || peek() < 0x20 || peek() > 0x7E) {
                throw wrong();
            }
            value.append(text.charAt(at++));
        }
        return value.toString();
    }

    private void bytes() {
        int end = text.indexOf(':', at);
        if (end < 0) {
            throw wrong();
        }
        Base64.getDecoder().decode(text.substring(at, end));
        at = end + 1;
    }

    private void number() {
        take('-');
        int whole = digits();
        if (take('.')) {
            int fraction = digits();
            if (whole > MOST_WHOLE_DIGITS || fraction == 0 || fraction > MOST_FRACTION_DIGITS) {
                throw wrong();
            }
        }
        if (whole == 0 || whole > MOST_DIGITS) {
            throw wrong();
        }
    }

    private int digits() {
        int start = at;
        while (isDigit(peek())) {
            at++;
        }
        return at - start;
    }

    /** The next character; at the end one that has no place in any field. */
    private char peek() {
        return at < text.length() ? text.charAt(at) : '\0';
    }

    private boolean take(char wanted) {
        boolean isThere = at < text.length() && text.charAt(at) == wanted;
        if (isThere) {
            at++;
        }
        return isThere;
    }

    private void expect(char wanted) {
        if (!take(wanted)) {
            throw wrong();
        }
    }

    private void skip(String blanks) {
        while (at < text.length() && isOneOf(blanks, text.charAt(at))) {
            at++;
        }
    }

    private static boolean isOneOf(String characters, char wanted) {
        return characters.indexOf(wanted) >= 0;
    }

    private static boolean isLower(char character) {
        return character >= 'a' && character <= 'z';
    }

    private static boolean isDigit(char character) {
        return character >= '0' && character <= '9';
    }

    private static boolean isTokenCharacter(char character) {
        return character == ':' || character == '/' || HeaderNames.isHeaderName(String.valueOf(character));
    }

    private static IllegalArgumentException wrong() {
        return new IllegalArgumentException("no structured field");
    }
}

package io.github.postern.client;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Writes parameters as a query or form. Everything but {@code A–Z a–z 0–9 - . _ ~} becomes {@code %XX} with
 * upper-case digits, of the UTF-8 bytes: the one spelling that all servers decode alike.
 */
public final class EncodeParameters {
    private static final String UNRESERVED = "-._~";
    private static final char[] DIGITS = "0123456789ABCDEF".toCharArray();

    private EncodeParameters() {
    }

    /**
     * Writes names and values given in turn, as in {@code of("to", "Köln 1", "weight", "2")}.
     *
     * @param namesAndValues a name, its value, the next name, and so on
     * @return such as {@code to=K%C3%B6ln%201&weight=2}
     * @throws SigningProblem {@code MALFORMED_PARAMETERS} when a text holds half a character
     */
    public static String of(String... namesAndValues) {
        if (namesAndValues.length % 2 != 0) {
            throw new IllegalArgumentException("a name has no value");
        }
        List<Map.Entry<String, String>> parameters = new ArrayList<>();
        for (int at = 0; at < namesAndValues.length; at += 2) {
            parameters.add(Map.entry(namesAndValues[at], namesAndValues[at + 1]));
        }
        return of(parameters);
    }

    /**
     * Writes the entries of a map, in the order of its iteration.
     *
     * @param parameters names and values
     * @return names and values, percent-encoded and joined
     * @throws SigningProblem {@code MALFORMED_PARAMETERS} when a text holds half a character
     */
    public static String of(Map<String, String> parameters) {
        return of(new ArrayList<>(parameters.entrySet()));
    }

    /**
     * Writes parameters in their order; a name may be repeated.
     *
     * @param parameters names and values
     * @return names and values, percent-encoded and joined
     * @throws SigningProblem {@code MALFORMED_PARAMETERS} when a text holds half a character
     */
    public static String of(List<Map.Entry<String, String>> parameters) {
        return parameters.stream()
                .map(parameter -> encode(parameter.getKey()) + "=" + encode(parameter.getValue()))
                .collect(Collectors.joining("&"));
    }

    static String encode(String text) {
        StringBuilder encoded = new StringBuilder(text.length() + 16);
        for (ByteBuffer bytes = utf8(text); bytes.hasRemaining();) {
            int value = bytes.get() & 0xFF;
            if (value < 0x80 && (Character.isLetterOrDigit(value) || UNRESERVED.indexOf(value) >= 0)) {
                encoded.append((char) value);
            } else {
                encoded.append('%').append(DIGITS[value >> 4]).append(DIGITS[value & 15]);
            }
        }
        return encoded.toString();
    }

    private static ByteBuffer utf8(String text) {
        try {
            return StandardCharsets.UTF_8.newEncoder().encode(CharBuffer.wrap(text));
        } catch (CharacterCodingException e) {
            throw new SigningProblem(SigningProblem.Code.MALFORMED_PARAMETERS,
                    "A parameter is not Unicode: it holds half a character.");
        }
    }
}

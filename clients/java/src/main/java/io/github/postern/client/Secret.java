package io.github.postern.client;

import java.nio.charset.StandardCharsets;

/** A text that is printed as {@code [secret]}. Neither a record nor serializable, so nothing writes its content. */
final class Secret {
    static final String PRINTED = "[secret]";

    private final String text;

    Secret(String text) {
        this.text = text;
    }

    /** Checks an App Secret: not empty, no control characters, no white space at its ends, no half character. */
    static Secret appSecret(String text) {
        if (text == null || text.isEmpty()) {
            throw invalid("The App Secret is empty.");
        }
        if (text.chars().anyMatch(Character::isISOControl)) {
            throw invalid("The App Secret holds a control character, such as a line feed from a file.");
        }
        if (isWhiteSpace(text.codePointAt(0)) || isWhiteSpace(text.codePointBefore(text.length()))) {
            throw invalid("The App Secret begins or ends with white space.");
        }
        if (!StandardCharsets.UTF_8.newEncoder().canEncode(text)) {
            throw invalid("The App Secret is not Unicode: it holds half a character.");
        }
        return new Secret(text);
    }

    String reveal() {
        return text;
    }

    byte[] bytes() {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static boolean isWhiteSpace(int character) {
        return Character.isWhitespace(character) || Character.isSpaceChar(character) || character == 0xFEFF;
    }

    private static SigningProblem invalid(String message) {
        return new SigningProblem(SigningProblem.Code.INVALID_CREDENTIAL, message);
    }

    @Override
    public String toString() {
        return PRINTED;
    }
}

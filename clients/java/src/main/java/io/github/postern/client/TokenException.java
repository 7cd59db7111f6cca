package io.github.postern.client;

import java.io.IOException;
import java.util.Optional;
import java.util.OptionalInt;

/** The token URL gave no access token, so the call was not made. The message holds no secret. */
public final class TokenException extends IOException {
    private static final long serialVersionUID = 1L;

    /** The HTTP status, or 0 when no answer came. */
    private final int status;
    /** The {@code error} of RFC 6749, or null. */
    private final String error;

    TokenException(String message, Throwable cause) {
        super(message, cause);
        this.status = 0;
        this.error = null;
    }

    TokenException(String message, int status, String error) {
        super(message);
        this.status = status;
        this.error = error;
    }

    /**
     * The HTTP status of the answer.
     *
     * @return empty when no answer came
     */
    public OptionalInt status() {
        return status == 0 ? OptionalInt.empty() : OptionalInt.of(status);
    }

    /**
     * The {@code error} of RFC 6749.
     *
     * @return such as {@code invalid_client}; empty when the answer has none of those
     */
    public Optional<String> error() {
        return Optional.ofNullable(error);
    }
}

package io.github.postern.client;

import java.util.Objects;

/**
 * A request or setting that the client refuses to use. Nothing was sent. The message never holds a secret.
 *
 * <p>Calls through OkHttp throw a {@link NotSentException} instead, with this problem inside.
 */
public final class SigningProblem extends IllegalArgumentException {
    private static final long serialVersionUID = 1L;

    /** What is wrong. These names do not change. */
    public enum Code {
        /** App Key, App Secret, private key or a setting of the client is not usable. */
        INVALID_CREDENTIAL,
        /** A parameter has a name that the client or the gateway sets. */
        RESERVED_PARAMETER,
        /** A parameter that cannot be signed without ambiguity; send it as JSON. */
        AMBIGUOUS_PARAMETERS,
        /** More than 100 parameters, with those that the client adds. */
        TOO_MANY_PARAMETERS,
        /** Wrong percent-encoding, or not UTF-8. */
        MALFORMED_PARAMETERS,
        /** Parameter signature: a query beside a body. */
        QUERY_NOT_SIGNABLE,
        /** Parameter signature: a body that is neither a form nor JSON in UTF-8. */
        BODY_NOT_SIGNABLE,
        /** More bytes than the gateway takes. */
        BODY_TOO_LARGE,
        /** HMAC and message signatures: a signed header that is absent, repeated, or cannot be signed. */
        HEADER_NOT_SIGNABLE,
        /** The URL is not absolute, or its path or query holds bytes outside 0x21–0x7E. */
        TARGET_NOT_SIGNABLE,
        /** A private key that another program keeps gave no signature. The cause says why. */
        SIGNER_FAILED
    }

    /** What is wrong. */
    private final Code code;

    SigningProblem(Code code, String message) {
        this(code, message, null);
    }

    SigningProblem(Code code, String message, Throwable cause) {
        super(message, cause);
        this.code = Objects.requireNonNull(code);
    }

    /**
     * What is wrong.
     *
     * @return the stable code
     */
    public Code code() {
        return code;
    }

    @Override
    public String toString() {
        return "SigningProblem: " + code + ": " + getMessage();
    }
}

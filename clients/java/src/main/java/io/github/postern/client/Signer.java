package io.github.postern.client;

import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/** One authentication method. Safe for use by several threads. */
interface Signer {
    /** The most bytes of a body that hmac and forms may have, as sent. */
    int LARGEST_BODY = 10_485_760;

    /**
     * The request as it is to be sent.
     *
     * @throws SigningProblem when it cannot be signed
     */
    SignedRequest sign(RequestToSign request, Stamp stamp);

    /** Whether the whole body is needed. When not, {@link #sign} is called without it, and it may be a stream. */
    boolean readsBody();

    /** The most bytes that a body with these headers may have, when the method needs it whole. */
    default int largestBody(HeaderList headers) {
        return LARGEST_BODY;
    }

    /**
     * What makes the signature that an {@code Accept-Signature} asks for of a request; nothing where that is no more
     * than {@link #sign} makes, or cannot be done.
     */
    default Optional<Signer> obey(String accepted, RequestToSign request) {
        return Optional.empty();
    }

    /** The names of the headers that {@link #sign} sets, in any request. */
    Set<String> headersSet();

    /** The settings for print, without secrets. */
    @Override
    String toString();

    /** What differs from attempt to attempt. */
    final class Stamp {
        private final long now;
        private final Supplier<String> nonces;
        private final Secret token;

        Stamp(long now, Supplier<String> nonces, Secret token) {
            this.now = now;
            this.nonces = nonces;
            this.token = token;
        }

        /** Seconds since 1970. */
        long now() {
            return now;
        }

        String nonce() {
            return nonces.get();
        }

        /** The access token, {@code null} for methods that need none. */
        Secret token() {
            return token;
        }
    }
}

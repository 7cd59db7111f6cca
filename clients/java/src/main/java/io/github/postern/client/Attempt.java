package io.github.postern.client;

/** One signed request, and what it was signed with. */
final class Attempt {
    private final RequestToSign unsigned;
    private final SignedRequest request;
    private final long correction;
    private final AccessToken token;

    Attempt(RequestToSign unsigned, SignedRequest request, long correction, AccessToken token) {
        this.unsigned = unsigned;
        this.request = request;
        this.correction = correction;
        this.token = token;
    }

    RequestToSign unsigned() {
        return unsigned;
    }

    SignedRequest request() {
        return request;
    }

    /** The correction of the clock, in seconds. */
    long correction() {
        return correction;
    }

    /** The access token, {@code null} for methods without one. */
    AccessToken token() {
        return token;
    }
}

package io.github.postern.client;

import java.io.IOException;
import okhttp3.Request;
import okhttp3.RequestBody;

/** Goes with a signed request through OkHttp, as its tag. */
final class OkHttpAttempt {
    private final Request signed;
    private final boolean isBodySigned;
    private boolean isStarted;
    private IOException failure;

    /** With the signed request, before this is its tag. */
    OkHttpAttempt(Request signed, boolean isBodySigned) {
        this.signed = signed;
        this.isBodySigned = isBodySigned;
    }

    /** Whether this is still the request that was signed. */
    boolean isSigned(Request request) {
        RequestBody body = request.body();
        return request.url().equals(signed.url()) && request.method().equals(signed.method())
                && (!isBodySigned || body == signed.body());
    }

    /** Whether a connection was there to send it on. */
    synchronized boolean isStarted() {
        return isStarted;
    }

    /** Why sending it failed; {@code null} when it did not. */
    synchronized IOException failure() {
        return failure;
    }

    /** False when it may have reached the API before: it goes out once, and another attempt has another signature. */
    synchronized boolean start() {
        isStarted = true;
        return failure == null;
    }

    synchronized void failed(IOException reason) {
        failure = reason;
    }

    @Override
    public String toString() {
        return "OkHttpAttempt";
    }
}

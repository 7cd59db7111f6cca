package io.github.postern.client;

import java.io.IOException;
import java.net.ProtocolException;
import okhttp3.Interceptor;
import okhttp3.Response;

/**
 * Stands at the network and stops what would go out with a signature that is not its own: a redirect, or a request that
 * another interceptor changed. It also stops OkHttp from sending a request twice by itself when it may have reached the
 * API.
 */
final class ResendGuard implements Interceptor {
    @Override
    public Response intercept(Chain chain) throws IOException {
        OkHttpAttempt attempt = chain.request().tag(OkHttpAttempt.class);
        if (attempt == null) {
            throw new Stopped("The request was not signed: an interceptor replaced its tags.");
        }
        if (!attempt.isSigned(chain.request())) {
            throw new Stopped("The request was changed after it was signed, by a redirect or an interceptor.");
        }
        if (!attempt.start()) {
            throw new Stopped("The connection failed, and the request may have reached the API.");
        }
        try {
            return chain.proceed(chain.request());
        } catch (IOException e) {
            attempt.failed(e);
            throw e;
        }
    }

    /** The guard's no. OkHttp does not try again after a {@link ProtocolException}. */
    static final class Stopped extends ProtocolException {
        private static final long serialVersionUID = 1L;

        Stopped(String message) {
            super(message);
        }
    }

    @Override
    public String toString() {
        return "ResendGuard";
    }
}

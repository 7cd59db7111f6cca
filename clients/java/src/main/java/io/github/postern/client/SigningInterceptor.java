package io.github.postern.client;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.Optional;
import javax.net.ssl.SSLHandshakeException;
import javax.net.ssl.SSLPeerUnverifiedException;
import okhttp3.HttpUrl;
import okhttp3.Interceptor;
import okhttp3.Request;
import okhttp3.RequestBody;
import okhttp3.Response;

/** Signs requests of OkHttp, and tries them again with another signature. An application interceptor. */
final class SigningInterceptor implements Interceptor {
    private static final byte[] NO_BYTES = {};

    private final PosternClient client;
    private final OkHttpTokens tokens;
    private final OkHttpPauses pauses;

    SigningInterceptor(PosternClient client, OkHttpTokens tokens, OkHttpPauses pauses) {
        this.client = client;
        this.tokens = tokens;
        this.pauses = pauses;
    }

    @Override
    public Response intercept(Chain chain) throws IOException {
        try {
            return call(chain);
        } catch (SigningProblem e) {
            throw new NotSentException(e);
        }
    }

    private Response call(Chain chain) throws IOException {
        Request request = chain.request();
        boolean readsBody = client.signer().readsBody();
        RequestToSign toSign = toSign(request);
        Retries retries = new Retries(client, request.method(),
                readsBody || OkHttpBodies.isRepeatable(request.body()));
        while (true) {
            AccessToken token = client.tokens().isPresent() ? tokens.token(client.tokens().get()) : null;
            Attempt attempt = client.attempt(toSign, token, retries.signer());
            Request signed = toSend(request, attempt.request());
            OkHttpAttempt state = new OkHttpAttempt(signed, readsBody);
            Duration wait;
            try {
                Response response = chain.proceed(signed.newBuilder().tag(OkHttpAttempt.class, state).build());
                Optional<Duration> again = after(response, retries, attempt);
                if (again.isEmpty()) {
                    return unsigned(response, request);
                }
                response.close();
                wait = again.get();
            } catch (IOException e) {
                wait = afterFailure(chain, state, e, retries);
            }
            pauses.pause(chain.call(), wait);
        }
    }

    private static Optional<Duration> after(Response response, Retries retries, Attempt attempt) throws IOException {
        HeaderList headers = HeaderList.of(response.headers().toMultimap());
        try {
            return PosternOkHttp.refusal(response).flatMap(refusal -> retries.after(refusal, headers, attempt));
        } catch (IOException e) {
            // A body that breaks off is the caller's to find: the answer came.
            return Optional.empty();
        }
    }

    /** Gives the wait before the next attempt, or throws why there is none. */
    private static Duration afterFailure(Chain chain, OkHttpAttempt state, IOException failure, Retries retries)
            throws IOException {
        if (failure instanceof ResendGuard.Stopped) {
            if (state.failure() == null) {
                throw failure;
            }
            return afterFailure(chain, state, state.failure(), retries);
        }
        boolean isLasting = failure instanceof SSLHandshakeException || failure instanceof SSLPeerUnverifiedException;
        // A limit of time that passed while an answer was awaited is the caller's own.
        boolean isTimeout = failure instanceof InterruptedIOException && state.isStarted();
        if (!isLasting && !isTimeout && !chain.call().isCanceled()) {
            Optional<Duration> wait = retries.afterNoAnswer();
            if (wait.isPresent()) {
                return wait.get();
            }
        }
        throw failure;
    }

    /** As OkHttp will send it: the type of the body overrides the header, and {@code host} follows from the URL. */
    private RequestToSign toSign(Request request) throws IOException {
        HeaderList headers = HeaderList.of(request.headers().toMultimap());
        RequestBody body = request.body();
        if (body != null && body.contentType() != null) {
            headers = headers.with("Content-Type", body.contentType().toString());
        }
        // Before the body, which may be too large: the target counts first.
        String url = WireUrl.parse(request.url().toString()).text();
        byte[] bytes = body == null || !client.signer().readsBody() ? NO_BYTES
                : OkHttpBodies.read(body, client.signer().largestBody(headers));
        return RequestToSign.of(request.method(), url, headers, bytes);
    }

    private Request toSend(Request request, SignedRequest signed) {
        HttpUrl url = HttpUrl.get(signed.url());
        String query = url.encodedQuery();
        if (!signed.target().equals(url.encodedPath() + (query == null ? "" : "?" + query))) {
            throw new SigningProblem(SigningProblem.Code.TARGET_NOT_SIGNABLE, "OkHttp would change the URL.");
        }
        RequestBody body = request.body();
        if (body != null && client.signer().readsBody()) {
            body = RequestBody.create(signed.bytes(), body.contentType());
        }
        Request.Builder builder = request.newBuilder().url(url).method(request.method(), body);
        for (String name : client.signer().headersSet()) {
            builder.removeHeader(name);
            signed.headerList().all(name).forEach(value -> builder.addHeader(name, value));
        }
        return builder.build();
    }

    /** With the request as it was given in the answer, since the signed one may hold secrets. */
    private static Response unsigned(Response response, Request request) {
        Response.Builder builder = response.newBuilder().request(request);
        if (response.networkResponse() != null) {
            builder.networkResponse(response.networkResponse().newBuilder().request(request).build());
        }
        return builder.build();
    }

    @Override
    public String toString() {
        return "SigningInterceptor{" + client + "}";
    }
}

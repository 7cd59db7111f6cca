package io.github.postern.client;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import okhttp3.MediaType;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.RequestBody;
import okhttp3.Response;
import okio.BufferedSource;

/** Asks for access tokens through OkHttp. */
final class OkHttpTokens implements TokenSource.Transport {
    private static final Duration TIMEOUT = Duration.ofSeconds(30);

    private final OkHttpClient http;

    /** Without the caller's interceptors, which may log the App Secret, and without a cache. */
    OkHttpTokens(OkHttpClient http) {
        OkHttpClient.Builder builder = http.newBuilder().followRedirects(false).followSslRedirects(false)
                .cache(null).callTimeout(TIMEOUT);
        builder.interceptors().clear();
        builder.networkInterceptors().clear();
        this.http = builder.build();
    }

    /** A token to use now; waits for it. */
    AccessToken token(TokenSource tokens) throws IOException {
        try {
            return tokens.get(this).get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted");
        } catch (ExecutionException e) {
            if (e.getCause() instanceof IOException) {
                throw (IOException) e.getCause();
            }
            if (e.getCause() instanceof SigningProblem) {
                throw (SigningProblem) e.getCause();
            }
            throw new IOException(e.getCause());
        }
    }

    @Override
    public CompletableFuture<TokenSource.Answer> ask(RequestToSign question) {
        Request.Builder request = new Request.Builder().url(question.url());
        question.headers().forEach(header -> request.header(header.getKey(), header.getValue()));
        MediaType type = MediaType.get(question.headerList().first("Content-Type").orElseThrow());
        request.method(question.method(), RequestBody.create(question.bytes(), type));
        try (Response response = http.newCall(request.build()).execute()) {
            return CompletableFuture.completedFuture(new TokenSource.Answer(response.code(),
                    HeaderList.of(response.headers().toMultimap()), body(response)));
        } catch (IOException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private static byte[] body(Response response) throws IOException {
        BufferedSource source = response.body().source();
        if (source.request(TokenSource.LARGEST_ANSWER + 1L)) {
            throw new TokenException("The answer of the token URL is too large.", null);
        }
        return source.readByteArray();
    }
}

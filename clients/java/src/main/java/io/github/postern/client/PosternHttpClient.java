package io.github.postern.client;

import java.io.IOException;
import java.net.Authenticator;
import java.net.CookieHandler;
import java.net.ProxySelector;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.PushPromiseHandler;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;

/**
 * A {@link HttpClient} that signs every request at the last moment, and tries again what the gateway refused for now.
 *
 * <p>Methods that sign read the body into memory, at most 10 485 760 bytes (2 097 152 for JSON in a
 * wrapper). With key and OAuth2 it passes through as a stream. A timeout of a request counts for each attempt.
 * {@code http:} URLs are called over HTTP/1.1, as the gateway refuses the library's offer to upgrade.
 *
 * <p>Redirects are not followed, since the library would carry credentials to another host; the answer is given as it
 * is. {@link Refusal#of(HttpResponse)} reads refusals, whatever the type of the body.
 */
public final class PosternHttpClient extends HttpClient {
    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(10);
    private static final Duration TOKEN_TIMEOUT = Duration.ofSeconds(30);

    private final PosternClient client;
    private final HttpClient http;
    private final Delays delays;

    PosternHttpClient(PosternClient client, HttpClient http, Delays delays) {
        this.client = client;
        this.http = http;
        this.delays = delays;
        check();
    }

    /**
     * Sends through a {@link HttpClient} of its own, which waits at most ten seconds for a connection.
     *
     * @param client signs the requests
     * @return a client to keep and share
     * @throws UnsupportedOperationException for HMAC on Java 11, whose library does not let programs set {@code Date}
     */
    public static PosternHttpClient of(PosternClient client) {
        return of(client, HttpClient.newBuilder().connectTimeout(CONNECT_TIMEOUT).build());
    }

    /**
     * Sends through a {@link HttpClient} with settings of yours.
     *
     * @param client signs the requests
     * @param http sends them; it must not follow redirects, and for HMAC and OAuth2 have no authenticator
     * @return a client to keep and share
     * @throws IllegalArgumentException when {@code http} follows redirects or would replace {@code Authorization}, or
     *     java.net.http is told to repeat every method
     * @throws UnsupportedOperationException for HMAC on Java 11, whose library does not let programs set {@code Date}
     */
    public static PosternHttpClient of(PosternClient client, HttpClient http) {
        return new PosternHttpClient(client, http, Delays.ofJava());
    }

    private void check() {
        if (http.followRedirects() != Redirect.NEVER) {
            throw new IllegalArgumentException("the HttpClient follows redirects, and would send credentials along: "
                    + "build it with followRedirects(HttpClient.Redirect.NEVER)");
        }
        String everyMethod = System.getProperty("jdk.httpclient.enableAllMethodRetry");
        if (everyMethod != null && (everyMethod.isEmpty() || Boolean.parseBoolean(everyMethod))) {
            throw new IllegalArgumentException("the system property jdk.httpclient.enableAllMethodRetry lets "
                    + "java.net.http send a POST twice: remove it, or use OkHttp");
        }
        if (http.authenticator().isPresent() && client.signer().headersSet().contains("Authorization")) {
            throw new IllegalArgumentException("the HttpClient has an authenticator, and so drops Authorization");
        }
        HttpRequest.Builder probe = HttpRequest.newBuilder(URI.create("https://localhost/"));
        for (String name : client.signer().headersSet()) {
            try {
                probe.setHeader(name, "probe");
            } catch (IllegalArgumentException e) {
                throw new UnsupportedOperationException("java.net.http of Java " + Runtime.version().feature()
                        + " does not let programs set the header " + name + ": use a newer Java, or OkHttp", e);
            }
        }
    }

    /**
     * Signs and sends, and waits for the answer.
     *
     * @param request as it would be sent without a signature
     * @param handler reads the body of the last answer
     * @return the answer; the request in it is the one that was given
     * @throws SigningProblem when the request cannot be signed; nothing was sent
     * @throws TokenException when the token URL gave no token; the call was not made
     * @throws IOException when no answer came
     * @throws InterruptedException when the thread is interrupted; the call is then cancelled
     */
    @Override
    public <T> HttpResponse<T> send(HttpRequest request, BodyHandler<T> handler)
            throws IOException, InterruptedException {
        CompletableFuture<HttpResponse<T>> call = sendAsync(request, handler);
        try {
            return call.get();
        } catch (InterruptedException e) {
            call.cancel(true);
            throw e;
        } catch (ExecutionException e) {
            throw rethrown(e.getCause());
        }
    }

    private static IOException rethrown(Throwable cause) {
        if (cause instanceof RuntimeException) {
            throw (RuntimeException) cause;
        }
        if (cause instanceof Error) {
            throw (Error) cause;
        }
        return cause instanceof IOException ? (IOException) cause : new IOException(cause);
    }

    /**
     * Signs and sends without blocking a thread, also between attempts. Cancelling the result cancels the call.
     *
     * @param request as it would be sent without a signature
     * @param handler reads the body of the last answer
     * @return the answer, or what {@link #send} throws
     */
    @Override
    public <T> CompletableFuture<HttpResponse<T>> sendAsync(HttpRequest request, BodyHandler<T> handler) {
        return new HttpCall<>(this, request, handler).start();
    }

    /**
     * As {@link #sendAsync(HttpRequest, BodyHandler)}, which it is without a push handler.
     *
     * @param pushPromiseHandler must be {@code null}, as pushes are not supported
     * @throws UnsupportedOperationException when it is not
     */
    @Override
    public <T> CompletableFuture<HttpResponse<T>> sendAsync(HttpRequest request, BodyHandler<T> handler,
            PushPromiseHandler<T> pushPromiseHandler) {
        if (pushPromiseHandler != null) {
            throw new UnsupportedOperationException("push promises are not supported");
        }
        return sendAsync(request, handler);
    }

    PosternClient postern() {
        return client;
    }

    HttpClient http() {
        return http;
    }

    Delays delays() {
        return delays;
    }

    Executor backgroundExecutor() {
        return http.executor().orElseGet(() -> new CompletableFuture<Void>().defaultExecutor());
    }

    TokenSource.Transport tokenTransport() {
        return question -> http
                .sendAsync(HttpRequests.tokenRequest(question, TOKEN_TIMEOUT), head -> new BoundedBytes(
                        TokenSource.LARGEST_ANSWER,
                        () -> new TokenException("The answer of the token URL is too large.", null)))
                .thenApply(answer -> new TokenSource.Answer(answer.statusCode(),
                        HeaderList.of(answer.headers().map()), answer.body()));
    }

    @Override
    public Optional<CookieHandler> cookieHandler() {
        return http.cookieHandler();
    }

    @Override
    public Optional<Duration> connectTimeout() {
        return http.connectTimeout();
    }

    /** Always {@link HttpClient.Redirect#NEVER}. */
    @Override
    public Redirect followRedirects() {
        return http.followRedirects();
    }

    @Override
    public Optional<ProxySelector> proxy() {
        return http.proxy();
    }

    @Override
    public SSLContext sslContext() {
        return http.sslContext();
    }

    @Override
    public SSLParameters sslParameters() {
        return http.sslParameters();
    }

    @Override
    public Optional<Authenticator> authenticator() {
        return http.authenticator();
    }

    @Override
    public Version version() {
        return http.version();
    }

    @Override
    public Optional<Executor> executor() {
        return http.executor();
    }

    /** The settings of the client, without secrets. */
    @Override
    public String toString() {
        return "PosternHttpClient{" + client + "}";
    }
}

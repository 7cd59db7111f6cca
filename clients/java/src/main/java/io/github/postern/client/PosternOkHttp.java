package io.github.postern.client;

import java.io.IOException;
import java.time.Clock;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import okhttp3.Authenticator;
import okhttp3.ConnectionPool;
import okhttp3.OkHttpClient;
import okhttp3.Response;

/**
 * Makes an OkHttp client that signs every request at the last moment, and tries again what the gateway refused for now.
 * Needs OkHttp 4 or 5.
 *
 * <p>Methods that sign read the body into memory, at most 10 485 760 bytes (2 097 152 for JSON in a
 * wrapper); one-shot bodies too, which can then be sent again. With key and OAuth2 it passes through as a stream, and a
 * one-shot body is sent once.
 *
 * <p>Redirects are not followed, since OkHttp would carry credentials to another host; the answer is given as it is.
 * A request that cannot be signed fails with {@link NotSentException}.
 */
public final class PosternOkHttp {
    private static final int KEPT_CONNECTIONS = 5;
    private static final long KEPT_SECONDS = 30;

    private PosternOkHttp() {
    }

    /**
     * An OkHttp client with OkHttp's own settings, but that it keeps an idle connection for 30 seconds at most. A POST
     * on one that the server is about to close fails, as it is not sent twice.
     *
     * @param client signs the requests
     * @return a client to keep and share
     */
    public static OkHttpClient of(PosternClient client) {
        return of(client, new OkHttpClient.Builder()
                .connectionPool(new ConnectionPool(KEPT_CONNECTIONS, KEPT_SECONDS, TimeUnit.SECONDS)).build());
    }

    /**
     * An OkHttp client with settings of yours, which shares connections and threads with yours. Its signing interceptor
     * comes after your interceptors, so that nothing changes a request after it was signed. The cache is switched off
     * for an App Key in the query, which it would write to disk.
     *
     * @param client signs the requests
     * @param http settings; stays as it is
     * @return a client to keep and share
     * @throws IllegalArgumentException when {@code http} signs already, or would replace {@code Authorization}
     */
    public static OkHttpClient of(PosternClient client, OkHttpClient http) {
        return of(client, http, OkHttpPauses.ofThreads());
    }

    static OkHttpClient of(PosternClient client, OkHttpClient http, OkHttpPauses pauses) {
        if (http.interceptors().stream().anyMatch(SigningInterceptor.class::isInstance)) {
            throw new IllegalArgumentException("this OkHttpClient signs already: start from one that does not");
        }
        if (http.authenticator() != Authenticator.NONE && client.signer().headersSet().contains("Authorization")) {
            throw new IllegalArgumentException("the OkHttpClient has an authenticator, which replaces Authorization");
        }
        OkHttpClient.Builder builder = http.newBuilder().followRedirects(false).followSslRedirects(false)
                .addInterceptor(new SigningInterceptor(client, new OkHttpTokens(http), pauses))
                .addNetworkInterceptor(new ResendGuard());
        boolean isKeyInUrl = client.signer() instanceof KeySigner && ((KeySigner) client.signer()).isInQuery();
        return (isKeyInUrl ? builder.cache(null) : builder).build();
    }

    /**
     * The refusal in an answer. The body stays readable.
     *
     * @param response the answer, not closed yet
     * @return nothing when the answer is no refusal of the gateway
     * @throws IOException when the body cannot be read
     */
    public static Optional<Refusal> refusal(Response response) throws IOException {
        HeaderList headers = HeaderList.of(response.headers().toMultimap());
        if (response.body() == null || !Refusal.mayBe(response.code(), headers)) {
            return Optional.empty();
        }
        byte[] body = response.peekBody(Refusal.LARGEST + 1L).bytes();
        return Refusal.read(response.code(), headers, body, Clock.systemUTC());
    }
}

package io.github.postern.client;

import java.util.Optional;
import java.util.function.Supplier;

/**
 * Signs requests with one credential. Make one with {@link #key}, {@link #hmac}, {@link #parameterSignature} or
 * {@link #oauth2}, keep it, and send through {@link PosternHttpClient} or {@link PosternOkHttp}.
 *
 * <p>Safe for use by several threads. It keeps the correction of the clock and the access token, so make one per
 * credential and not one per call. Printed, secrets are {@code [secret]}.
 */
public final class PosternClient {
    private final Signer signer;
    private final ClientClock clock;
    private final int retries;
    private final Supplier<String> nonces;
    private final TokenSource tokens;

    PosternClient(Signer signer, TokenSource tokens, ClientBuilder<?> settings) {
        this.signer = signer;
        this.tokens = tokens;
        this.clock = new ClientClock(settings.clock, settings.clockCorrection);
        this.retries = settings.retries;
        this.nonces = settings.nonces;
    }

    /**
     * For endpoints with key authentication: the App Key is sent, and is a secret.
     *
     * @param appKey the App Key
     * @return settings, ready to {@link KeyBuilder#build()}
     * @throws SigningProblem {@code INVALID_CREDENTIAL} when this cannot be an App Key
     */
    public static KeyBuilder key(String appKey) {
        return new KeyBuilder(appKey);
    }

    /**
     * For endpoints with HMAC signatures.
     *
     * @param appKey the App Key
     * @param appSecret the App Secret; never sent
     * @return settings, ready to {@link HmacBuilder#build()}
     * @throws SigningProblem {@code INVALID_CREDENTIAL} when this cannot be an App Key or App Secret
     */
    public static HmacBuilder hmac(String appKey, String appSecret) {
        return new HmacBuilder(appKey, appSecret);
    }

    /**
     * For endpoints with signed parameters.
     *
     * @param appKey the App Key
     * @param appSecret the App Secret; never sent
     * @return settings, ready to {@link ParameterSignatureBuilder#build()}
     * @throws SigningProblem {@code INVALID_CREDENTIAL} when this cannot be an App Key or App Secret
     */
    public static ParameterSignatureBuilder parameterSignature(String appKey, String appSecret) {
        return new ParameterSignatureBuilder(appKey, appSecret);
    }

    /**
     * For endpoints with access tokens (OAuth2 client credentials).
     *
     * @param appKey the App Key, which is the {@code client_id}
     * @param appSecret the App Secret, which is the {@code client_secret}; sent to the token URL only
     * @param tokenUrl the absolute URL of the gateway's {@code /oauth2/token}
     * @return settings, ready to {@link OAuth2Builder#build()}
     * @throws SigningProblem {@code INVALID_CREDENTIAL} when one of them is not usable
     */
    public static OAuth2Builder oauth2(String appKey, String appSecret, String tokenUrl) {
        return new OAuth2Builder(appKey, appSecret, tokenUrl);
    }

    /**
     * Signs a request for any other HTTP library. Send the result within seconds, byte for byte, once.
     *
     * @param request the request with all that the library will send
     * @return the signed request
     * @throws SigningProblem when the request cannot be signed
     * @throws IllegalStateException for OAuth2, which has to ask for a token first
     */
    public SignedRequest sign(RequestToSign request) {
        if (tokens != null) {
            throw new IllegalStateException(
                    "OAuth2 signs nothing: call through PosternHttpClient or PosternOkHttp, which ask for tokens");
        }
        return attempt(request, null).request();
    }

    Attempt attempt(RequestToSign request, AccessToken token) {
        long correction = clock.correction();
        Secret text = token == null ? null : token.text();
        Signer.Stamp stamp = new Signer.Stamp(clock.now(), nonces, text);
        return new Attempt(signer.sign(request, stamp), correction, token);
    }

    Signer signer() {
        return signer;
    }

    ClientClock clock() {
        return clock;
    }

    int retries() {
        return retries;
    }

    /** Where access tokens come from; nothing for methods that need none. */
    Optional<TokenSource> tokens() {
        return Optional.ofNullable(tokens);
    }

    /** Forgets a refused token. False for methods without tokens. */
    boolean drop(AccessToken token) {
        if (tokens != null) {
            tokens.drop(token);
        }
        return tokens != null;
    }

    /** The settings, without secrets. */
    @Override
    public String toString() {
        return "PosternClient{" + signer + ", retries=" + retries + "}";
    }
}

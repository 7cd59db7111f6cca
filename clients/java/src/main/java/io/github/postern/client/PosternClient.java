package io.github.postern.client;

import java.util.Optional;
import java.util.function.Supplier;

/**
 * Signs requests with one credential. Make one with {@link #key}, {@link #hmac}, {@link #parameterSignature},
 * {@link #oauth2}, {@link #messageSignature} or {@link #privateKeyJwt}, keep it, and send through
 * {@link PosternHttpClient} or {@link PosternOkHttp}.
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
        this(signer, tokens, settings.clientClock(), settings);
    }

    /** With the clock that the source of tokens has too. */
    PosternClient(Signer signer, TokenSource tokens, ClientClock clock, ClientBuilder<?> settings) {
        this.signer = signer;
        this.tokens = tokens;
        this.clock = clock;
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
     * For endpoints with HTTP message signatures (RFC 9421): the gateway has only the public key.
     *
     * @param appKey the App Key
     * @param privateKey the private key; never sent
     * @return settings, ready to {@link MessageSignatureBuilder#build()}
     * @throws SigningProblem {@code INVALID_CREDENTIAL} when this cannot be an App Key
     */
    public static MessageSignatureBuilder messageSignature(String appKey, SigningKey privateKey) {
        return new MessageSignatureBuilder(appKey, privateKey);
    }

    /**
     * For endpoints with access tokens, where the gateway has a public key in place of an App Secret (RFC 7523).
     *
     * @param appKey the App Key, which is the {@code client_id}
     * @param privateKey the private key; never sent
     * @param tokenUrl the absolute URL of the gateway's {@code /oauth2/token}
     * @return settings, ready to {@link PrivateKeyJwtBuilder#build()}
     * @throws SigningProblem {@code INVALID_CREDENTIAL} when one of them is not usable
     */
    public static PrivateKeyJwtBuilder privateKeyJwt(String appKey, SigningKey privateKey, String tokenUrl) {
        return new PrivateKeyJwtBuilder(appKey, privateKey, tokenUrl);
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
        checkSigns();
        return attempt(request, null, signer).request();
    }

    /**
     * Signs a request again that the gateway refused with 401 and an {@code Accept-Signature}: the new signature covers
     * what that field asks for besides. Do so once. {@link PosternHttpClient} and {@link PosternOkHttp} do it by
     * themselves.
     *
     * @param request the request with all that the library will send
     * @param acceptSignature the text of the field; of several lines, joined by a comma
     * @return the signed request; empty where the field asks for nothing more, or for what this client cannot do
     * @throws SigningProblem when the request cannot be signed
     * @throws IllegalStateException for OAuth2, which has to ask for a token first
     */
    public Optional<SignedRequest> signAgain(RequestToSign request, String acceptSignature) {
        checkSigns();
        return signer.obey(acceptSignature, request).map(wanted -> attempt(request, null, wanted).request());
    }

    /**
     * An assertion that stands for an App Secret (RFC 7523), for a library that asks the token URL itself. It counts
     * once, and for a minute.
     *
     * @return a JWT, another one each time
     * @throws SigningProblem {@code SIGNER_FAILED} when the private key gives no signature
     * @throws IllegalStateException for a client of another method than {@link #privateKeyJwt}
     */
    public String assertion() {
        if (tokens == null || !(tokens.credential() instanceof ClientAssertion)) {
            throw new IllegalStateException("Only a client of privateKeyJwt makes assertions");
        }
        return ((ClientAssertion) tokens.credential()).assertion(clock.correction());
    }

    private void checkSigns() {
        if (tokens != null) {
            throw new IllegalStateException(
                    "OAuth2 signs nothing: call through PosternHttpClient or PosternOkHttp, which ask for tokens");
        }
    }

    Attempt attempt(RequestToSign request, AccessToken token, Signer by) {
        long correction = clock.correction();
        Secret text = token == null ? null : token.text();
        Signer.Stamp stamp = new Signer.Stamp(clock.now(), nonces, text);
        return new Attempt(request, by.sign(request, stamp), correction, token);
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

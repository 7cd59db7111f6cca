package io.github.postern.client;

import static io.github.postern.client.SigningProblem.Code.INVALID_CREDENTIAL;

import java.nio.charset.StandardCharsets;
import java.util.Objects;

/** Settings of a client that asks for access tokens with a private key in place of an App Secret (RFC 7523). */
public final class PrivateKeyJwtBuilder extends ClientBuilder<PrivateKeyJwtBuilder> {
    private final String appKey;
    private final SigningKey privateKey;
    private final String tokenUrl;
    private SignatureAlgorithm algorithm;
    private String audience;

    PrivateKeyJwtBuilder(String appKey, SigningKey privateKey, String tokenUrl) {
        this.appKey = checkKeyId(appKey);
        this.privateKey = checkPrivateKey(privateKey);
        this.tokenUrl = checkTokenUrl(tokenUrl);
        this.audience = tokenUrl;
    }

    /**
     * Signs with another algorithm of an RSA key than {@code PS256}.
     *
     * @param chosen the algorithm
     * @return this builder
     */
    public PrivateKeyJwtBuilder algorithm(SignatureAlgorithm chosen) {
        algorithm = Objects.requireNonNull(chosen, "chosen");
        return this;
    }

    /**
     * Puts another {@code aud} into assertions than the token URL: the gateway's issuer, where only that is taken.
     *
     * @param text the audience
     * @return this builder
     * @throws SigningProblem {@code INVALID_CREDENTIAL} when it is empty or has a control character
     */
    public PrivateKeyJwtBuilder audience(String text) {
        boolean isUsable = text != null && !text.isEmpty() && text.chars().noneMatch(Character::isISOControl)
                && StandardCharsets.UTF_8.newEncoder().canEncode(text);
        if (!isUsable) {
            throw new SigningProblem(INVALID_CREDENTIAL, "The audience is empty, or has a control character.");
        }
        audience = text;
        return this;
    }

    @Override
    PrivateKeyJwtBuilder self() {
        return this;
    }

    /**
     * Makes the client.
     *
     * @throws SigningProblem {@code INVALID_CREDENTIAL} when the key does not have the algorithm
     */
    @Override
    public PosternClient build() {
        SignatureAlgorithm used = privateKey.algorithm(algorithm, SignatureAlgorithm.OF_ASSERTIONS);
        ClientClock shared = clientClock();
        ClientAssertion assertion = new ClientAssertion(appKey, privateKey, used, audience, shared, nonces);
        return new PosternClient(
                new BearerSigner("method=private-key-jwt, " + assertion + ", tokenUrl=" + tokenUrl),
                new TokenSource(tokenUrl, assertion, System::nanoTime), shared, this);
    }
}

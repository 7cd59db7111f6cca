package io.github.postern.client;

import java.util.Objects;

/** Settings of a client that signs the parameters of a URL or form, or wraps JSON. */
public final class ParameterSignatureBuilder extends ClientBuilder<ParameterSignatureBuilder> {
    private final String appKey;
    private final Secret appSecret;
    private ParameterEncoding encoding = ParameterEncoding.DECODED;
    private boolean nonce;

    ParameterSignatureBuilder(String appKey, String appSecret) {
        this.appKey = checkAppKey(appKey);
        this.appSecret = Secret.appSecret(appSecret);
    }

    /**
     * Signs names and values as they are on the wire, for endpoints that want it.
     *
     * @param chosen the spelling that is signed
     * @return this builder
     */
    public ParameterSignatureBuilder encoding(ParameterEncoding chosen) {
        encoding = Objects.requireNonNull(chosen, "chosen");
        return this;
    }

    /**
     * Adds a random parameter {@code nonce} to every query and form, for endpoints with replay protection. JSON has no
     * place for it: of equal JSON bodies in the same second, later ones are signed for a later second. Off by default.
     *
     * @param wanted whether to send one
     * @return this builder
     */
    public ParameterSignatureBuilder nonce(boolean wanted) {
        nonce = wanted;
        return this;
    }

    @Override
    ParameterSignatureBuilder self() {
        return this;
    }

    @Override
    public PosternClient build() {
        return new PosternClient(new ParameterSigner(appKey, appSecret, encoding, nonce), null, this);
    }
}

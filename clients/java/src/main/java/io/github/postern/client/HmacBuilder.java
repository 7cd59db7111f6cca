package io.github.postern.client;

import java.util.List;
import java.util.Objects;

/** Settings of a client that signs with HMAC. */
public final class HmacBuilder extends ClientBuilder<HmacBuilder> {
    private final String appKey;
    private final Secret appSecret;
    private HmacAlgorithm algorithm = HmacAlgorithm.SHA256;
    private List<String> signedHeaders = List.of();
    private boolean nonce;

    HmacBuilder(String appKey, String appSecret) {
        this.appKey = checkAppKey(appKey);
        this.appSecret = Secret.appSecret(appSecret);
    }

    /**
     * Signs with another algorithm than {@code hmac-sha256}, where the operator allows it.
     *
     * @param chosen the algorithm
     * @return this builder
     */
    public HmacBuilder algorithm(HmacAlgorithm chosen) {
        algorithm = Objects.requireNonNull(chosen, "chosen");
        return this;
    }

    /**
     * Signs more headers than date, request line and digest. Every request must then have them; {@code host} always is.
     *
     * @param names the names, in any case
     * @return this builder
     */
    public HmacBuilder signedHeaders(String... names) {
        signedHeaders = List.of(names);
        return this;
    }

    /**
     * Signs a random {@code X-Nonce} with every request, for endpoints with replay protection. Off by default.
     *
     * @param wanted whether to send one
     * @return this builder
     */
    public HmacBuilder nonce(boolean wanted) {
        nonce = wanted;
        return this;
    }

    @Override
    HmacBuilder self() {
        return this;
    }

    @Override
    public PosternClient build() {
        return new PosternClient(new HmacSigner(appKey, appSecret, algorithm, signedHeaders, nonce), null, this);
    }
}

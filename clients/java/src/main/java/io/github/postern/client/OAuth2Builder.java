package io.github.postern.client;

import java.util.function.LongSupplier;

/** Settings of a client that asks for access tokens. */
public final class OAuth2Builder extends ClientBuilder<OAuth2Builder> {
    private final String appKey;
    private final Secret appSecret;
    private final String tokenUrl;
    private LongSupplier nanoTime = System::nanoTime;

    OAuth2Builder(String appKey, String appSecret, String tokenUrl) {
        this.appKey = checkAppKey(appKey);
        this.appSecret = Secret.appSecret(appSecret);
        this.tokenUrl = WireUrl.parse(checkTokenUrl(tokenUrl)).text();
    }

    /** What measures the life of tokens, for tests. */
    OAuth2Builder nanoTime(LongSupplier source) {
        nanoTime = source;
        return this;
    }

    @Override
    OAuth2Builder self() {
        return this;
    }

    @Override
    public PosternClient build() {
        ClientSecret secret = new ClientSecret(appKey, appSecret);
        return new PosternClient(new BearerSigner("method=oauth2, " + secret + ", tokenUrl=" + tokenUrl),
                new TokenSource(tokenUrl, secret, nanoTime), this);
    }
}

package io.github.postern.client;

import static io.github.postern.client.SigningProblem.Code.INVALID_CREDENTIAL;

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
        this.tokenUrl = checkTokenUrl(tokenUrl);
    }

    private static String checkTokenUrl(String url) {
        try {
            return WireUrl.parse(url == null ? "" : url).text();
        } catch (SigningProblem e) {
            throw new SigningProblem(INVALID_CREDENTIAL, "The token URL is not absolute, or not percent-encoded.");
        }
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
        return new PosternClient(new BearerSigner(appKey, appSecret, tokenUrl),
                new TokenSource(tokenUrl, appKey, appSecret, nanoTime), this);
    }
}

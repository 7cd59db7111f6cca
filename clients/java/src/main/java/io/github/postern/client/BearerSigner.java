package io.github.postern.client;

import java.util.Set;

/** Sends an access token. */
final class BearerSigner implements Signer {
    private final String appKey;
    private final Secret appSecret;
    private final String tokenUrl;

    BearerSigner(String appKey, Secret appSecret, String tokenUrl) {
        this.appKey = appKey;
        this.appSecret = appSecret;
        this.tokenUrl = tokenUrl;
    }

    @Override
    public boolean readsBody() {
        return false;
    }

    @Override
    public SignedRequest sign(RequestToSign request, Stamp stamp) {
        WireUrl url = WireUrl.parse(request.url());
        HeaderList headers = request.headerList().with("Authorization", "Bearer " + stamp.token().reveal());
        return new SignedRequest(request.method(), url, headers, request.bytes(), null);
    }

    @Override
    public Set<String> headersSet() {
        return Set.of("Authorization");
    }

    @Override
    public String toString() {
        return "method=oauth2, appKey=" + appKey + ", appSecret=" + appSecret + ", tokenUrl=" + tokenUrl;
    }
}

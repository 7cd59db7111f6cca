package io.github.postern.client;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Base64;

/** Asks for tokens with an App Secret (RFC 6749 §2.3.1). */
final class ClientSecret implements TokenCredential {
    private final String appKey;
    private final Secret appSecret;

    ClientSecret(String appKey, Secret appSecret) {
        this.appKey = appKey;
        this.appSecret = appSecret;
    }

    @Override
    public RequestToSign question(String tokenUrl, long correction) {
        String client = URLEncoder.encode(appKey, StandardCharsets.UTF_8) + ":"
                + URLEncoder.encode(appSecret.reveal(), StandardCharsets.UTF_8);
        return TokenCredential.start(tokenUrl)
                .header("Authorization",
                        "Basic " + Base64.getEncoder().encodeToString(client.getBytes(StandardCharsets.US_ASCII)))
                .body("grant_type=client_credentials".getBytes(StandardCharsets.US_ASCII));
    }

    @Override
    public String toString() {
        return "appKey=" + appKey + ", appSecret=" + appSecret;
    }
}

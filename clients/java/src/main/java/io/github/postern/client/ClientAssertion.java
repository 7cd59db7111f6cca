package io.github.postern.client;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.function.Supplier;

/** Asks for tokens with an assertion in place of an App Secret (RFC 7523). */
final class ClientAssertion implements TokenCredential {
    private static final String TYPE = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";
    private static final int LIFE_SECONDS = 60;

    private final String appKey;
    private final SigningKey key;
    private final SignatureAlgorithm algorithm;
    private final String audience;
    private final ClientClock clock;
    private final Supplier<String> ids;

    ClientAssertion(String appKey, SigningKey key, SignatureAlgorithm algorithm, String audience, ClientClock clock,
            Supplier<String> ids) {
        this.appKey = appKey;
        this.key = key;
        this.algorithm = algorithm;
        this.audience = audience;
        this.clock = clock;
        this.ids = ids;
    }

    @Override
    public RequestToSign question(String tokenUrl, long correction) {
        String form = EncodeParameters.of("grant_type", "client_credentials", "client_id", appKey,
                "client_assertion_type", TYPE, "client_assertion", assertion(correction));
        return TokenCredential.start(tokenUrl).body(form.getBytes(StandardCharsets.US_ASCII));
    }

    /** A JWT, another one each time. */
    String assertion(long correction) {
        long now = clock.uncorrected() + correction;
        String header = "{\"alg\":\"" + algorithm.assertionName() + "\",\"typ\":\"JWT\"}";
        String claims = "{\"iss\":\"" + appKey + "\",\"sub\":\"" + appKey + "\",\"aud\":\"" + escaped(audience)
                + "\",\"jti\":\"" + ids.get() + "\",\"iat\":" + now + ",\"exp\":" + (now + LIFE_SECONDS) + "}";
        String signed = base64(header.getBytes(StandardCharsets.US_ASCII)) + "."
                + base64(claims.getBytes(StandardCharsets.UTF_8));
        return signed + "." + base64(key.sign(algorithm, signed.getBytes(StandardCharsets.US_ASCII)));
    }

    /** All that a JSON text without control characters needs. */
    private static String escaped(String text) {
        return text.replace("\\", "\\\\").replace("\"", "\\\"");
    }

    private static String base64(byte[] bytes) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }

    @Override
    public long correction() {
        return clock.correction();
    }

    @Override
    public boolean learn(HeaderList answer, long correction) {
        return clock.learnFromAssertion(answer, correction);
    }

    @Override
    public String toString() {
        return "appKey=" + appKey + ", privateKey=" + Secret.PRINTED + ", algorithm=" + algorithm + ", audience="
                + audience;
    }
}

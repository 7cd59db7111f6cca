import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.util.JSONObjectUtils;
import com.nimbusds.oauth2.sdk.ClientCredentialsGrant;
import com.nimbusds.oauth2.sdk.ErrorObject;
import com.nimbusds.oauth2.sdk.TokenRequest;
import com.nimbusds.oauth2.sdk.TokenResponse;
import com.nimbusds.oauth2.sdk.auth.PrivateKeyJWT;
import com.nimbusds.oauth2.sdk.http.HTTPRequest;
import com.nimbusds.oauth2.sdk.id.ClientID;
import com.nimbusds.oauth2.sdk.util.URLUtils;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.CertificateFactory;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.HashMap;
import java.util.Map;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** The token client of nimbus, with private_key_jwt. */
final class TokenClient {
    private TokenClient() {
    }

    static Map<String, Object> ask(Map<String, Object> question) throws Exception {
        Map<String, Object> key = JSONObjectUtils.getJSONObject(question, "key");
        String alg = JSONObjectUtils.getString(key, "alg");
        URI endpoint = URI.create(JSONObjectUtils.getString(question, "tokenUrl"));
        PrivateKeyJWT authentication = new PrivateKeyJWT(
                new ClientID(JSONObjectUtils.getString(question, "clientId")),
                endpoint,
                JWSAlgorithm.parse(alg),
                privateKey(alg, JSONObjectUtils.getString(key, "pem")),
                "key-1",
                null);
        TokenRequest token = new TokenRequest.Builder(endpoint, authentication, new ClientCredentialsGrant()).build();
        SSLContext trust = trust(Path.of(JSONObjectUtils.getString(question, "ca")));
        HTTPRequest request;
        TokenResponse response;
        int times = JSONObjectUtils.getInt(question, "times");
        do {
            request = token.toHTTPRequest();
            request.setSSLSocketFactory(trust.getSocketFactory());
            response = TokenResponse.parse(request.send());
            times -= 1;
        } while (times > 0 && response.indicatesSuccess());

        Map<String, Object> answer = new HashMap<>();
        Map<String, Object> form = new HashMap<>();
        URLUtils.parseParameters(request.getBody()).forEach((name, values) -> form.put(name, values.get(0)));
        answer.put("form", form);
        if (response.indicatesSuccess()) {
            answer.put("token", response.toSuccessResponse().getTokens().getAccessToken().getValue());
        } else {
            ErrorObject error = response.toErrorResponse().getErrorObject();
            Map<String, Object> refusal = new HashMap<>();
            refusal.put("code", error.getCode());
            refusal.put("description", error.getDescription());
            answer.put("refusal", refusal);
        }
        return answer;
    }

    private static PrivateKey privateKey(String alg, String pem) throws GeneralSecurityException {
        byte[] encoded = Base64.getMimeDecoder().decode(pem.replaceAll("-----[A-Z ]+-----", ""));
        return KeyFactory.getInstance(alg.startsWith("ES") ? "EC" : "RSA").generatePrivate(new PKCS8EncodedKeySpec(encoded));
    }

    private static SSLContext trust(Path authorities) throws GeneralSecurityException, IOException {
        KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
        store.load(null, null);
        try (InputStream file = Files.newInputStream(authorities)) {
            store.setCertificateEntry("authority", CertificateFactory.getInstance("X.509").generateCertificate(file));
        }
        TrustManagerFactory factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        factory.init(store);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, factory.getTrustManagers(), null);
        return context;
    }
}

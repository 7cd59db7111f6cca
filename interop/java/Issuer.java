import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JOSEObjectType;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.JWSSigner;
import com.nimbusds.jose.crypto.factories.DefaultJWSSignerFactory;
import com.nimbusds.jose.jwk.JWK;
import com.nimbusds.jose.util.JSONObjectUtils;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.SignedJWT;
import java.text.ParseException;
import java.util.HashMap;
import java.util.Map;

/** Tokens that nimbus signs as an issuer does. */
final class Issuer {
    private Issuer() {
    }

    static Map<String, Object> issue(Map<String, Object> question) throws ParseException, JOSEException {
        Map<String, Object> key = JSONObjectUtils.getJSONObject(question, "key");
        JWSAlgorithm alg = JWSAlgorithm.parse(JSONObjectUtils.getString(key, "alg"));
        JWSSigner signer = new DefaultJWSSignerFactory()
                .createJWSSigner(JWK.parse(JSONObjectUtils.getJSONObject(key, "jwk")), alg);
        JWSHeader header = new JWSHeader.Builder(alg)
                .type(new JOSEObjectType("at+jwt"))
                .keyID(JSONObjectUtils.getString(question, "kid"))
                .build();
        SignedJWT token = new SignedJWT(header, JWTClaimsSet.parse(JSONObjectUtils.getJSONObject(question, "claims")));
        token.sign(signer);
        Map<String, Object> answer = new HashMap<>();
        answer.put("token", token.serialize());
        return answer;
    }
}

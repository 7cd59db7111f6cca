package io.github.postern.client;

import java.security.InvalidKeyException;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** The algorithms of HMAC signatures. The gateway takes all but SHA-256 only where its operator allows them. */
public enum HmacAlgorithm {
    /** {@code hmac-sha256}, the default. */
    SHA256("hmac-sha256", "HmacSHA256"),
    /** {@code hmac-sha384}. */
    SHA384("hmac-sha384", "HmacSHA384"),
    /** {@code hmac-sha512}. */
    SHA512("hmac-sha512", "HmacSHA512");

    private final String wireName;
    private final String javaName;

    HmacAlgorithm(String wireName, String javaName) {
        this.wireName = wireName;
        this.javaName = javaName;
    }

    /**
     * The algorithm by its name in the {@code Authorization} header.
     *
     * @param wireName such as {@code hmac-sha512}
     * @return the algorithm
     * @throws SigningProblem {@code INVALID_CREDENTIAL} when there is none of this name
     */
    public static HmacAlgorithm of(String wireName) {
        return Arrays.stream(values()).filter(each -> each.wireName.equals(wireName)).findFirst()
                .orElseThrow(() -> new SigningProblem(SigningProblem.Code.INVALID_CREDENTIAL,
                        "The algorithm is not hmac-sha256, hmac-sha384 or hmac-sha512."));
    }

    /**
     * The name in the {@code Authorization} header.
     *
     * @return such as {@code hmac-sha256}
     */
    public String wireName() {
        return wireName;
    }

    byte[] sign(Secret secret, byte[] text) {
        try {
            Mac mac = Mac.getInstance(javaName);
            mac.init(new SecretKeySpec(secret.bytes(), javaName));
            return mac.doFinal(text);
        } catch (NoSuchAlgorithmException | InvalidKeyException e) {
            throw new IllegalStateException("this Java cannot compute " + javaName, e);
        }
    }
}

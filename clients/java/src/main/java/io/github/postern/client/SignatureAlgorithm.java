package io.github.postern.client;

import java.security.GeneralSecurityException;
import java.security.Signature;
import java.security.spec.MGF1ParameterSpec;
import java.security.spec.PSSParameterSpec;
import java.util.List;

/**
 * How a private key signs. It follows from the key, but for RSA: {@link #RSA_PSS_SHA512} is the default of message
 * signatures, {@link #RSA_PSS_SHA256} that of assertions, and the operator of the API says where
 * {@link #RSA_V1_5_SHA256} is allowed.
 */
public enum SignatureAlgorithm {
    /** Ed25519, {@code EdDSA} in an assertion. Needs Java 15 or later, unless another program signs. */
    ED25519("ed25519", "EdDSA", "Ed25519", 64, 64),
    /** ECDSA on P-256, {@code ES256} in an assertion. */
    ECDSA_P256_SHA256("ecdsa-p256-sha256", "ES256", "SHA256withECDSAinP1363Format", 64, 64),
    /** ECDSA on P-384, {@code ES384} in an assertion. */
    ECDSA_P384_SHA384("ecdsa-p384-sha384", "ES384", "SHA384withECDSAinP1363Format", 96, 96),
    /** RSA with PSS, {@code PS512} in an assertion. */
    RSA_PSS_SHA512("rsa-pss-sha512", "PS512", "RSASSA-PSS", 256, 1024),
    /** RSA with PSS, {@code PS256}; only for assertions. */
    RSA_PSS_SHA256(null, "PS256", "RSASSA-PSS", 256, 1024),
    /** RSA with the padding of PKCS #1 v1.5, {@code RS256} in an assertion. */
    RSA_V1_5_SHA256("rsa-v1_5-sha256", "RS256", "SHA256withRSA", 256, 1024);

    /** Those of message signatures, the default of each key first. */
    static final List<SignatureAlgorithm> OF_MESSAGES =
            List.of(ED25519, ECDSA_P256_SHA256, ECDSA_P384_SHA384, RSA_PSS_SHA512, RSA_V1_5_SHA256);
    /** Those of assertions, the default of each key first. */
    static final List<SignatureAlgorithm> OF_ASSERTIONS =
            List.of(ED25519, ECDSA_P256_SHA256, ECDSA_P384_SHA384, RSA_PSS_SHA256, RSA_PSS_SHA512, RSA_V1_5_SHA256);

    private final String messageName;
    private final String assertionName;
    private final String javaName;
    private final int fewestBytes;
    private final int mostBytes;

    SignatureAlgorithm(String messageName, String assertionName, String javaName, int fewestBytes, int mostBytes) {
        this.messageName = messageName;
        this.assertionName = assertionName;
        this.javaName = javaName;
        this.fewestBytes = fewestBytes;
        this.mostBytes = mostBytes;
    }

    /** The name of RFC 9421; null for what it does not have. */
    String messageName() {
        return messageName;
    }

    /** The {@code alg} of RFC 7518 and RFC 8037. */
    String assertionName() {
        return assertionName;
    }

    boolean isEcdsa() {
        return this == ECDSA_P256_SHA256 || this == ECDSA_P384_SHA384;
    }

    /** The most bytes of a signature, for ECDSA r and s. */
    int mostBytes() {
        return mostBytes;
    }

    /** Whether a signature may have so many bytes. */
    boolean fits(int bytes) {
        return bytes >= fewestBytes && bytes <= mostBytes;
    }

    /** What signs or verifies, ready to be given a key. */
    Signature signature() throws GeneralSecurityException {
        Signature signature = Signature.getInstance(javaName);
        if (this == RSA_PSS_SHA512) {
            signature.setParameter(new PSSParameterSpec("SHA-512", "MGF1", MGF1ParameterSpec.SHA512, 64, 1));
        } else if (this == RSA_PSS_SHA256) {
            signature.setParameter(new PSSParameterSpec("SHA-256", "MGF1", MGF1ParameterSpec.SHA256, 32, 1));
        }
        return signature;
    }
}

package io.github.postern.client;

import static io.github.postern.client.SigningProblem.Code.INVALID_CREDENTIAL;

import java.math.BigInteger;
import java.security.AlgorithmParameters;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.NoSuchAlgorithmException;
import java.security.PrivateKey;
import java.security.interfaces.ECPrivateKey;
import java.security.interfaces.RSAPrivateCrtKey;
import java.security.spec.ECGenParameterSpec;
import java.security.spec.ECParameterSpec;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads private keys in PEM of PKCS #8. No message says anything of a key. */
final class KeyReader {
    private static final Pattern PEM =
            Pattern.compile("-----BEGIN ([A-Z0-9 ]+)-----([A-Za-z0-9+/=\\s]*+)-----END \\1-----");
    /** The OIDs in PKCS #8, with the version before them. */
    private static final String ED25519_OID = "06032b6570";
    private static final String EC_OID = "06072a8648ce3d0201";
    private static final String RSA_OID = "06092a864886f70d010101";
    private static final int OID_ENDS_BEFORE = 24;
    private static final int FEWEST_RSA_BITS = 2048;
    private static final int MOST_RSA_BITS = 8192;
    private static final BigInteger SMALLEST_RSA_EXPONENT = BigInteger.valueOf(65537);

    private KeyReader() {
    }

    /** A key in this program, and how it may sign; the first is the default. */
    static final class LocalKey {
        private final PrivateKey privateKey;
        private final List<SignatureAlgorithm> algorithms;

        LocalKey(PrivateKey privateKey, List<SignatureAlgorithm> algorithms) {
            this.privateKey = privateKey;
            this.algorithms = algorithms;
        }

        PrivateKey privateKey() {
            return privateKey;
        }

        List<SignatureAlgorithm> algorithms() {
            return algorithms;
        }

        @Override
        public String toString() {
            return Secret.PRINTED;
        }
    }

    static LocalKey readPem(String text) {
        Matcher pem = PEM.matcher(text.strip());
        if (!pem.matches()) {
            throw invalid("The private key is not one block of PEM with nothing before or after it.");
        }
        switch (pem.group(1)) {
            case "PRIVATE KEY":
                return readPkcs8(decode(pem.group(2)));
            case "ENCRYPTED PRIVATE KEY":
                throw invalid("The private key is encrypted: decrypt it with openssl pkcs8 -topk8 -nocrypt.");
            case "RSA PRIVATE KEY":
            case "EC PRIVATE KEY":
                throw invalid("The private key is not PKCS #8: convert it with openssl pkcs8 -topk8 -nocrypt.");
            default:
                throw invalid("The PEM holds no private key.");
        }
    }

    private static byte[] decode(String base64) {
        try {
            return Base64.getDecoder().decode(base64.replaceAll("\\s", ""));
        } catch (IllegalArgumentException e) {
            throw invalid("The PEM of the private key is not base64.");
        }
    }

    private static LocalKey readPkcs8(byte[] der) {
        String start = Bytes.hex(Arrays.copyOf(der, Math.min(der.length, OID_ENDS_BEFORE)));
        String kind = start.contains(ED25519_OID) ? "Ed25519"
                : start.contains(EC_OID) ? "EC" : start.contains(RSA_OID) ? "RSA" : null;
        if (kind == null) {
            throw notTaken();
        }
        return checked(generate(kind, der));
    }

    static PrivateKey generate(String kind, byte[] pkcs8) {
        try {
            return KeyFactory.getInstance(kind).generatePrivate(new PKCS8EncodedKeySpec(pkcs8));
        } catch (NoSuchAlgorithmException e) {
            throw invalid("Java " + Runtime.version().feature() + " has no " + kind + ": use Java 15 or later, "
                    + "a key of another kind, or another program that signs.");
        } catch (InvalidKeySpecException e) {
            throw notTaken();
        }
    }

    /** The key when the gateway takes its kind. */
    static LocalKey checked(PrivateKey key) {
        if (key instanceof ECPrivateKey) {
            ECParameterSpec curve = ((ECPrivateKey) key).getParams();
            if (isCurve(curve, "secp256r1")) {
                return new LocalKey(key, List.of(SignatureAlgorithm.ECDSA_P256_SHA256));
            }
            if (isCurve(curve, "secp384r1")) {
                return new LocalKey(key, List.of(SignatureAlgorithm.ECDSA_P384_SHA384));
            }
            throw notTaken();
        }
        if (key instanceof RSAPrivateCrtKey) {
            RSAPrivateCrtKey rsa = (RSAPrivateCrtKey) key;
            int bits = rsa.getModulus().bitLength();
            if (bits < FEWEST_RSA_BITS || bits > MOST_RSA_BITS) {
                throw invalid("The RSA key has " + bits + " bits; the gateway takes 2048 to 8192.");
            }
            if (rsa.getPublicExponent().compareTo(SMALLEST_RSA_EXPONENT) < 0) {
                throw invalid("The exponent of the RSA key is below 65537.");
            }
            return new LocalKey(key, List.of(SignatureAlgorithm.RSA_PSS_SHA512, SignatureAlgorithm.RSA_PSS_SHA256,
                    SignatureAlgorithm.RSA_V1_5_SHA256));
        }
        if (key.getAlgorithm().equals("EdDSA") || key.getAlgorithm().equals("Ed25519")) {
            return new LocalKey(key, List.of(SignatureAlgorithm.ED25519));
        }
        throw notTaken();
    }

    private static boolean isCurve(ECParameterSpec curve, String name) {
        ECParameterSpec named = curve(name);
        return curve.getCurve().equals(named.getCurve()) && curve.getGenerator().equals(named.getGenerator());
    }

    static ECParameterSpec curve(String name) {
        try {
            AlgorithmParameters parameters = AlgorithmParameters.getInstance("EC");
            parameters.init(new ECGenParameterSpec(name));
            return parameters.getParameterSpec(ECParameterSpec.class);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("this Java has no " + name, e);
        }
    }

    static SigningProblem notTaken() {
        return invalid("The private key is not of a kind that the gateway takes: Ed25519, P-256, P-384 or RSA.");
    }

    static SigningProblem invalid(String message) {
        return new SigningProblem(INVALID_CREDENTIAL, message);
    }
}

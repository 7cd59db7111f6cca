package io.github.postern.client;

import static io.github.postern.client.SigningProblem.Code.INVALID_CREDENTIAL;
import static io.github.postern.client.SigningProblem.Code.SIGNER_FAILED;

import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.security.Signature;
import java.util.List;
import java.util.Objects;

/**
 * A private key that signs requests and client assertions, or what asks for signatures where the key is, such as a KMS
 * or an HSM. Immutable, and safe for use by several threads when what it asks is. Printed, it is {@code [secret]}.
 */
public final class SigningKey {
    private final List<SignatureAlgorithm> algorithms;
    private final Maker maker;

    private SigningKey(List<SignatureAlgorithm> algorithms, Maker maker) {
        this.algorithms = algorithms;
        this.maker = maker;
    }

    /** Signs somewhere else. */
    @FunctionalInterface
    public interface RemoteSigner {
        /**
         * The signature of a message.
         *
         * @param message the whole message, not its hash
         * @return the signature; of ECDSA in ASN.1, or r and s of equal length
         * @throws IOException when there is none; nothing is sent, and it is the cause of a {@code SIGNER_FAILED}
         */
        byte[] sign(byte[] message) throws IOException;
    }

    private interface Maker {
        byte[] sign(SignatureAlgorithm algorithm, byte[] message) throws IOException;
    }

    /**
     * Reads a private key in PEM of PKCS #8, as {@code openssl genpkey} writes it: Ed25519 (from Java 15 on), P-256,
     * P-384, or RSA of 2048 to 8192 bits.
     *
     * @param text the PEM
     * @return the key
     * @throws SigningProblem {@code INVALID_CREDENTIAL} when it is none; the message says nothing of the key
     */
    public static SigningKey ofPem(String text) {
        return of(KeyReader.readPem(text == null ? "" : text));
    }

    /**
     * Reads a private key as a JWK (RFC 7517), of the same kinds as {@link #ofPem}.
     *
     * @param text the JWK
     * @return the key
     * @throws SigningProblem {@code INVALID_CREDENTIAL} when it is none; the message says nothing of the key
     */
    public static SigningKey ofJwk(String text) {
        return of(JwkReader.read(text == null ? "" : text));
    }

    /**
     * A key that another program keeps. {@link RemoteSigner#sign} is called once for each attempt, on a thread of the
     * call.
     *
     * @param algorithm how it signs
     * @param signer asks for a signature
     * @return the key
     */
    public static SigningKey of(SignatureAlgorithm algorithm, RemoteSigner signer) {
        Objects.requireNonNull(algorithm, "algorithm");
        Objects.requireNonNull(signer, "signer");
        return new SigningKey(List.of(algorithm), (same, message) -> signer.sign(message));
    }

    private static SigningKey of(KeyReader.LocalKey key) {
        PrivateKey secret = key.privateKey();
        return new SigningKey(key.algorithms(), (algorithm, message) -> {
            try {
                Signature signature = algorithm.signature();
                signature.initSign(secret);
                signature.update(message);
                return signature.sign();
            } catch (GeneralSecurityException e) {
                throw new IOException("This Java does not sign with " + algorithm + ".", e);
            }
        });
    }

    /** The algorithm that is wanted, or else, for null, the first of a method's that the key has. */
    SignatureAlgorithm algorithm(SignatureAlgorithm wanted, List<SignatureAlgorithm> ofMethod) {
        return ofMethod.stream()
                .filter(each -> algorithms.contains(each) && (wanted == null || wanted == each))
                .findFirst()
                .orElseThrow(() -> new SigningProblem(INVALID_CREDENTIAL,
                        "The private key does not sign with an algorithm that goes with this method."));
    }

    /**
     * The signature of a message as RFC 9421 and RFC 7515 want it: of ECDSA, r and s.
     *
     * @throws SigningProblem {@code SIGNER_FAILED} when the key gives none
     */
    byte[] sign(SignatureAlgorithm algorithm, byte[] message) {
        byte[] signature;
        try {
            signature = maker.sign(algorithm, message);
        } catch (IOException | RuntimeException e) {
            throw new SigningProblem(SIGNER_FAILED, "The private key did not sign: " + e.getMessage(), e);
        }
        if (signature != null && algorithm.isEcdsa() && signature.length != algorithm.mostBytes()) {
            signature = EcdsaSignatures.joined(signature, algorithm.mostBytes() / 2).orElse(null);
        }
        if (signature == null || !algorithm.fits(signature.length)) {
            throw new SigningProblem(SIGNER_FAILED, "What the private key gave is no signature of " + algorithm + ".");
        }
        return signature;
    }

    /** The algorithm, without the key. */
    @Override
    public String toString() {
        return "SigningKey{" + algorithms.get(0) + ", key=" + Secret.PRINTED + "}";
    }
}

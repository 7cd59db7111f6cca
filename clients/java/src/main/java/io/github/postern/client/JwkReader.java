package io.github.postern.client;

import java.math.BigInteger;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.spec.ECParameterSpec;
import java.security.spec.ECPoint;
import java.security.spec.ECPrivateKeySpec;
import java.security.spec.ECPublicKeySpec;
import java.security.spec.RSAPrivateCrtKeySpec;
import java.security.spec.RSAPublicKeySpec;
import java.security.spec.X509EncodedKeySpec;
import java.util.Base64;
import java.util.Map;

/** Reads private keys as JWK (RFC 7518 §6, RFC 8037 §2). No message says anything of a key. */
final class JwkReader {
    /** What stands before the 32 bytes of an Ed25519 key in PKCS #8 and in a SubjectPublicKeyInfo. */
    private static final String ED25519_PRIVATE = "302e020100300506032b657004220420";
    private static final String ED25519_PUBLIC = "302a300506032b6570032100";
    private static final int ED25519_BYTES = 32;
    private static final byte[] PROBE = {1, 2, 3};

    private final Map<?, ?> jwk;

    private JwkReader(Map<?, ?> jwk) {
        this.jwk = jwk;
    }

    static KeyReader.LocalKey read(String text) {
        JwkReader reader = new JwkReader(Json.readObject(text)
                .orElseThrow(() -> KeyReader.invalid("The private key is no JWK, which is a JSON object.")));
        if (reader.jwk.containsKey("oth")) {
            throw KeyReader.notTaken();
        }
        if (!reader.jwk.containsKey("d")) {
            throw KeyReader.invalid("The JWK has no \"d\", so it is no private key.");
        }
        try {
            return reader.read();
        } catch (GeneralSecurityException | IllegalArgumentException e) {
            if (e instanceof SigningProblem) {
                throw (SigningProblem) e;
            }
            throw KeyReader.notTaken();
        }
    }

    private KeyReader.LocalKey read() throws GeneralSecurityException {
        switch (jwk.get("kty") + " " + jwk.get("crv")) {
            case "OKP Ed25519":
                return edwards();
            case "EC P-256":
                return curve(KeyReader.curve("secp256r1"));
            case "EC P-384":
                return curve(KeyReader.curve("secp384r1"));
            case "RSA null":
                return rsa();
            default:
                throw KeyReader.notTaken();
        }
    }

    private KeyReader.LocalKey edwards() throws GeneralSecurityException {
        byte[] seed = bytes("d");
        byte[] point = bytes("x");
        if (seed.length != ED25519_BYTES || point.length != ED25519_BYTES) {
            throw KeyReader.notTaken();
        }
        PrivateKey key = KeyReader.generate("Ed25519", Bytes.join(Bytes.ofHex(ED25519_PRIVATE), seed));
        byte[] spki = Bytes.join(Bytes.ofHex(ED25519_PUBLIC), point);
        return pair(key, KeyFactory.getInstance("Ed25519").generatePublic(new X509EncodedKeySpec(spki)));
    }

    private KeyReader.LocalKey curve(ECParameterSpec curve) throws GeneralSecurityException {
        KeyFactory factory = KeyFactory.getInstance("EC");
        BigInteger secret = number("d");
        if (secret.signum() == 0 || secret.compareTo(curve.getOrder()) >= 0) {
            throw KeyReader.notTaken();
        }
        ECPoint point = new ECPoint(number("x"), number("y"));
        return pair(factory.generatePrivate(new ECPrivateKeySpec(secret, curve)),
                factory.generatePublic(new ECPublicKeySpec(point, curve)));
    }

    private KeyReader.LocalKey rsa() throws GeneralSecurityException {
        KeyFactory factory = KeyFactory.getInstance("RSA");
        BigInteger modulus = number("n");
        BigInteger exponent = number("e");
        BigInteger secret = number("d");
        BigInteger p = number("p");
        BigInteger q = number("q");
        if (p.bitLength() < 2 || q.bitLength() < 2) {
            throw KeyReader.notTaken();
        }
        PrivateKey key = factory.generatePrivate(new RSAPrivateCrtKeySpec(modulus, exponent, secret, p, q,
                secret.mod(p.subtract(BigInteger.ONE)), secret.mod(q.subtract(BigInteger.ONE)), q.modInverse(p)));
        return pair(key, factory.generatePublic(new RSAPublicKeySpec(modulus, exponent)));
    }

    /** The key, when what it signs fits the public part beside it. */
    private static KeyReader.LocalKey pair(PrivateKey key, PublicKey publicKey) throws GeneralSecurityException {
        KeyReader.LocalKey read = KeyReader.checked(key);
        Signature signature = read.algorithms().get(0).signature();
        signature.initSign(key);
        signature.update(PROBE);
        byte[] signed = signature.sign();
        Signature verifier = read.algorithms().get(0).signature();
        verifier.initVerify(publicKey);
        verifier.update(PROBE);
        if (!verifier.verify(signed)) {
            throw KeyReader.invalid("The parts of the JWK are not those of one key.");
        }
        return read;
    }

    private BigInteger number(String name) {
        return new BigInteger(1, bytes(name));
    }

    private byte[] bytes(String name) {
        Object text = jwk.get(name);
        if (!(text instanceof String) || ((String) text).isEmpty()) {
            throw KeyReader.notTaken();
        }
        return Base64.getUrlDecoder().decode((String) text);
    }
}

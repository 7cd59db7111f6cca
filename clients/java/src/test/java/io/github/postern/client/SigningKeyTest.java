package io.github.postern.client;

import static io.github.postern.client.SigningProblem.Code.INVALID_CREDENTIAL;
import static io.github.postern.client.SigningProblem.Code.SIGNER_FAILED;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyFactory;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.spec.ECGenParameterSpec;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Private keys beyond those of the vectors, and keys that another program keeps. */
class SigningKeyTest {
    private static final byte[] MESSAGE = "a signature base".getBytes(US_ASCII);

    static KeyPair pair(String curve) throws Exception {
        KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
        generator.initialize(new ECGenParameterSpec(curve));
        return generator.generateKeyPair();
    }

    static String pem(PrivateKey key) {
        return "-----BEGIN PRIVATE KEY-----\n" + Base64.getMimeEncoder().encodeToString(key.getEncoded())
                + "\n-----END PRIVATE KEY-----\n";
    }

    /** The program that keeps the key of a file: signs what it reads, of ECDSA in ASN.1. */
    static final class Program {
        private Program() {
        }

        public static void main(String[] arguments) throws Exception {
            byte[] der = Base64.getDecoder().decode(Files.readString(Path.of(arguments[0])));
            Signature signature = Signature.getInstance("SHA256withECDSA");
            signature.initSign(KeyFactory.getInstance("EC").generatePrivate(new PKCS8EncodedKeySpec(der)));
            signature.update(System.in.readAllBytes());
            System.out.write(signature.sign());
            System.out.flush();
        }
    }

    @Test
    void aKeyInAnotherProcessSigns(@TempDir Path folder) throws Exception {
        KeyPair pair = pair("secp256r1");
        Path file = folder.resolve("key");
        Files.writeString(file, Base64.getEncoder().encodeToString(pair.getPrivate().getEncoded()));
        ProcessBuilder program = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1", "-cp", System.getProperty("java.class.path"), Program.class.getName(),
                file.toString()).redirectError(ProcessBuilder.Redirect.INHERIT);
        SigningKey key = SigningKey.of(SignatureAlgorithm.ECDSA_P256_SHA256, message -> {
            Process started = program.start();
            started.getOutputStream().write(message);
            started.getOutputStream().close();
            return started.getInputStream().readAllBytes();
        });
        byte[] signed = key.sign(SignatureAlgorithm.ECDSA_P256_SHA256, MESSAGE);
        assertEquals(64, signed.length);
        assertTrue(verifies(SignatureAlgorithm.ECDSA_P256_SHA256, pair, signed));
    }

    private static boolean verifies(SignatureAlgorithm algorithm, KeyPair pair, byte[] signed) throws Exception {
        Signature verifier = algorithm.signature();
        verifier.initVerify(pair.getPublic());
        verifier.update(MESSAGE);
        return verifier.verify(signed);
    }

    @ParameterizedTest
    @CsvSource({"secp256r1, ECDSA_P256_SHA256, SHA256withECDSA", "secp384r1, ECDSA_P384_SHA384, SHA384withECDSA"})
    void takesApartWhatKeyServicesGive(String curve, SignatureAlgorithm algorithm, String javaName) throws Exception {
        KeyPair pair = pair(curve);
        for (int round = 0; round < 200; round++) {
            Signature signature = Signature.getInstance(javaName);
            signature.initSign(pair.getPrivate());
            signature.update(MESSAGE);
            byte[] asn1 = signature.sign();
            byte[] joined = EcdsaSignatures.joined(asn1, algorithm.mostBytes() / 2).orElseThrow();
            assertTrue(verifies(algorithm, pair, joined));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "30", "3006020101020181", "30050200020101", "300702010102010100", "3006020101030101"})
    void whatIsNoSignatureIsAProblem(String hex) {
        SigningKey key = SigningKey.of(SignatureAlgorithm.ECDSA_P256_SHA256, message -> Bytes.ofHex(hex));
        SigningProblem problem = assertThrows(SigningProblem.class,
                () -> key.sign(SignatureAlgorithm.ECDSA_P256_SHA256, MESSAGE));
        assertEquals(SIGNER_FAILED, problem.code());
    }

    @Test
    void aSignerThatFailsIsTheCauseOfAProblem() {
        IOException cause = new IOException("the KMS is locked");
        SigningKey failing = SigningKey.of(SignatureAlgorithm.ED25519, message -> {
            throw cause;
        });
        SigningProblem problem = assertThrows(SigningProblem.class,
                () -> failing.sign(SignatureAlgorithm.ED25519, MESSAGE));
        assertEquals(SIGNER_FAILED, problem.code());
        assertSame(cause, problem.getCause());
        SigningKey silent = SigningKey.of(SignatureAlgorithm.ED25519, message -> null);
        assertEquals(SIGNER_FAILED, assertThrows(SigningProblem.class,
                () -> silent.sign(SignatureAlgorithm.ED25519, MESSAGE)).code());
    }

    @Test
    void keysThatTheGatewayDoesNotTakeAreProblems() throws Exception {
        KeyPairGenerator generator = KeyPairGenerator.getInstance("RSA");
        generator.initialize(1024);
        String small = pem(generator.generateKeyPair().getPrivate());
        String p521 = pem(pair("secp521r1").getPrivate());
        String cut = "-----BEGIN PRIVATE KEY-----\nA\n-----END PRIVATE KEY-----";
        for (String each : new String[] {null, "", small, p521, cut}) {
            SigningProblem problem = assertThrows(SigningProblem.class, () -> SigningKey.ofPem(each));
            assertEquals(INVALID_CREDENTIAL, problem.code());
        }
        String other = "{\"kty\":\"EC\",\"crv\":\"P-256\",\"d\":\"UpuF81l-kOxbjf7T4mNSv0r5tN67Gim7rnf6EFpcYDs\","
                + "\"x\":\"qIVYZVLCrPZHGHjP17CTW0_-D9Lfw0EkjqF7xB4FivA\",\"y\":\"AAAA\"}";
        for (String each : new String[] {null, "", "[]", "{}", "{\"kty\":\"RSA\",\"d\":\"AQ\",\"oth\":[]}", other}) {
            SigningProblem problem = assertThrows(SigningProblem.class, () -> SigningKey.ofJwk(each));
            assertEquals(INVALID_CREDENTIAL, problem.code());
            assertFalse(problem.getMessage().contains("UpuF"));
        }
    }

    @Test
    void ed25519SaysWhichJavaItNeeds() {
        if (Runtime.version().feature() >= 15) {
            assertThrows(SigningProblem.class, () -> KeyReader.generate("Ed25519", new byte[3]));
        }
        // A kind that no Java has stands for one that an older Java lacks.
        SigningProblem problem = assertThrows(SigningProblem.class, () -> KeyReader.generate("Ed4711", new byte[3]));
        assertTrue(problem.getMessage().contains("Java 15"), problem.getMessage());
    }

    @Test
    void isPrintedWithoutTheKey() throws Exception {
        assertEquals("SigningKey{ECDSA_P256_SHA256, key=[secret]}",
                SigningKey.ofPem(pem(pair("secp256r1").getPrivate())).toString());
    }
}

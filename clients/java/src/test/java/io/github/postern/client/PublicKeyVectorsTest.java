package io.github.postern.client;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.MessageDigest;
import java.security.PublicKey;
import java.security.Signature;
import java.security.spec.X509EncodedKeySpec;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

class PublicKeyVectorsTest {
    private Map<?, ?> keys;

    @TestFactory
    Stream<DynamicTest> signsAsTheVectorsSay() throws Exception {
        Map<?, ?> document = (Map<?, ?>) Json.read(Files.readString(Path.of("../public-key-vectors.json")));
        keys = (Map<?, ?>) document.get("keys");
        List<?> cases = Vector.list(document, "cases");
        assertTrue(cases.size() >= 341, cases.size() + " cases");
        return cases.stream().map(each -> (Map<?, ?>) each)
                .map(each -> DynamicTest.dynamicTest((String) each.get("name"), () -> check(each)));
    }

    private void check(Map<?, ?> vector) throws Exception {
        if (vector.get("request") == null && vector.get("problem") != null) {
            assertProblem(vector, () -> client(vector));
            return;
        }
        PosternClient client = client(vector);
        if (vector.get("assertion") != null) {
            checkAssertion((Map<?, ?>) vector.get("assertion"), client);
        } else if (vector.get("problem") != null) {
            assertProblem(vector, () -> sign(vector, client));
        } else {
            checkSigned(vector, sign(vector, client));
        }
    }

    private static void assertProblem(Map<?, ?> vector, org.junit.jupiter.api.function.Executable action) {
        assertEquals(vector.get("problem"), assertThrows(SigningProblem.class, action).code().name());
    }

    private PosternClient client(Map<?, ?> vector) {
        Map<Object, Object> settings = new HashMap<>((Map<?, ?>) vector.get("client"));
        Map<?, ?> key = (Map<?, ?>) settings.get("privateKey");
        if (key.get("key") != null) {
            Map<?, ?> named = (Map<?, ?>) keys.get(key.get("key"));
            settings.put("privateKey", Map.of(key.get("as"), named.get(key.get("as"))));
        }
        ClientBuilder<?> builder = Vector.builder(settings);
        if (vector.get("now") != null) {
            builder.clock(Clock.fixed(Instant.ofEpochSecond((Long) vector.get("now")), ZoneOffset.UTC));
        }
        return builder.nonces(() -> (String) vector.get("nonce")).build();
    }

    private static Optional<SignedRequest> sign(Map<?, ?> vector, PosternClient client) {
        RequestToSign request = Vector.request((Map<?, ?>) vector.get("request"));
        Object accepted = vector.get("acceptSignature");
        return accepted == null ? Optional.of(client.sign(request)) : client.signAgain(request, (String) accepted);
    }

    private void checkSigned(Map<?, ?> vector, Optional<SignedRequest> made) throws GeneralSecurityException {
        Map<?, ?> wanted = (Map<?, ?>) vector.get("signed");
        assertEquals(wanted != null, made.isPresent());
        if (made.isEmpty()) {
            return;
        }
        SignedRequest signed = made.get();
        Map<?, ?> signature = (Map<?, ?>) vector.get("signature");
        assertEquals(wanted.get("target"), signed.target());
        assertEquals(vector.get("stringToSign"), signed.stringToSign().orElseThrow());
        HeaderList headers = HeaderList.EMPTY;
        for (Map.Entry<String, String> header : Vector.headers((Map<?, ?>) vector.get("request"))) {
            headers = headers.plus(header.getKey(), header.getValue());
        }
        headers = headers.with("Signature", signed.headerList().first("Signature").orElseThrow());
        for (Map.Entry<String, String> header : Vector.headers(wanted)) {
            headers = headers.with(header.getKey(), header.getValue());
        }
        assertEquals(lines(headers), lines(signed.headerList()));
        String value = signed.headerList().first("Signature").orElseThrow();
        String label = signature.get("label") + "=:";
        assertTrue(value.startsWith(label) && value.endsWith(":"), value);
        byte[] bytes = Base64.getDecoder().decode(value.substring(label.length(), value.length() - 1));
        assertVerifies(signature, (String) vector.get("stringToSign"), bytes);
        byte[] body = Vector.body((Map<?, ?>) ((Map<?, ?>) vector.get("request")).get("body"));
        assertArrayEquals(MessageDigest.getInstance("SHA-256").digest(body),
                MessageDigest.getInstance("SHA-256").digest(signed.body()));
    }

    private static List<String> lines(HeaderList headers) {
        return headers.entries().stream().map(each -> each.getKey().toLowerCase() + ": " + each.getValue()).sorted()
                .collect(Collectors.toCollection(ArrayList::new));
    }

    private void checkAssertion(Map<?, ?> wanted, PosternClient client) throws GeneralSecurityException {
        String made = client.assertion();
        int end = made.lastIndexOf('.');
        assertEquals(wanted.get("signingInput"), made.substring(0, end));
        if (wanted.get("jwt") != null) {
            assertEquals(wanted.get("jwt"), made);
        }
        assertVerifies(wanted, made.substring(0, end), Base64.getUrlDecoder().decode(made.substring(end + 1)));
    }

    private void assertVerifies(Map<?, ?> by, String text, byte[] signature) throws GeneralSecurityException {
        String pem = (String) ((Map<?, ?>) keys.get(by.get("key"))).get("publicPem");
        byte[] spki = Base64.getMimeDecoder().decode(pem.replaceAll("-----[A-Z ]+-----", ""));
        SignatureAlgorithm algorithm = Arrays.stream(SignatureAlgorithm.values())
                .filter(each -> by.get("algorithm").equals(each.messageName())
                        || by.get("algorithm").equals(each.assertionName()))
                .findFirst().orElseThrow();
        String kind = algorithm == SignatureAlgorithm.ED25519 ? "Ed25519" : algorithm.isEcdsa() ? "EC" : "RSA";
        PublicKey key = KeyFactory.getInstance(kind).generatePublic(new X509EncodedKeySpec(spki));
        Signature verifier = algorithm.signature();
        verifier.initVerify(key);
        verifier.update(text.getBytes(US_ASCII));
        assertTrue(verifier.verify(signature), "the signature is of another text");
    }
}

package io.github.postern.client;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every signature of {@code vectors.json}. */
class VectorsTest {
    static Stream<Vector> cases() {
        return Vector.all().stream();
    }

    @Test
    void thereAreAllVectors() {
        assertTrue(Vector.all().size() >= 461, "vectors.json lost cases");
    }

    @ParameterizedTest
    @MethodSource("cases")
    void vector(Vector vector) throws Exception {
        if (vector.has("parameters")) {
            assertEquals(vector.text("encoded"), EncodeParameters.of(parameters(vector)));
        } else if (vector.has("problem")) {
            SigningProblem problem = assertThrows(SigningProblem.class,
                    () -> vector.client().sign(Vector.request(vector.map("request"))));
            assertEquals(vector.text("problem"), problem.code().name());
        } else {
            RequestToSign request = Vector.request(vector.map("request"));
            checkSigned(vector, request, vector.client().sign(request));
        }
    }

    private static List<Map.Entry<String, String>> parameters(Vector vector) {
        return vector.list("parameters").stream().map(pair -> (List<?>) pair)
                .map(pair -> Map.entry((String) pair.get(0), (String) pair.get(1))).collect(Collectors.toList());
    }

    private static void checkSigned(Vector vector, RequestToSign request, SignedRequest signed) throws Exception {
        Map<?, ?> expected = vector.map("signed");
        if (vector.has("stringToSign")) {
            assertEquals(vector.text("stringToSign"), signed.stringToSign().orElseThrow());
        }
        assertEquals(request.method(), signed.method());
        assertEquals(expected.get("target"), signed.target());
        assertTrue(signed.url().endsWith(signed.target()));
        assertEquals(expectedHeaders(request, Vector.headers(expected)), sorted(signed.headers()));
        Map<?, ?> body = (Map<?, ?>) expected.get("body");
        if (body == null) {
            assertArrayEquals(request.bytes(), signed.body());
        } else if (body.get("sha256") != null) {
            assertEquals(((Long) body.get("length")).intValue(), signed.body().length);
            assertEquals(body.get("sha256"), Bytes.hex(MessageDigest.getInstance("SHA-256").digest(signed.body())));
        } else {
            assertEquals(new String(Vector.body(body), "UTF-8"), new String(signed.body(), "UTF-8"));
        }
    }

    /** Those of the request that the client does not replace, and those that it sets. */
    private static List<String> expectedHeaders(RequestToSign request, List<Map.Entry<String, String>> set) {
        List<Map.Entry<String, String>> all = new ArrayList<>(set);
        request.headers().stream()
                .filter(given -> set.stream().noneMatch(each -> each.getKey().equalsIgnoreCase(given.getKey())))
                .forEach(all::add);
        return sorted(all);
    }

    private static List<String> sorted(List<Map.Entry<String, String>> headers) {
        return headers.stream().map(each -> each.getKey().toLowerCase() + ": " + each.getValue()).sorted()
                .collect(Collectors.toList());
    }
}

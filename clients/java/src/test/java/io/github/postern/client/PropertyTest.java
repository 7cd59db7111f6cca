package io.github.postern.client;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.URLDecoder;
import java.net.URLEncoder;
import java.security.MessageDigest;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.Test;

/** Properties that hold for every request, over texts drawn by chance, the same each time. */
class PropertyTest {
    private static final String SECRET = "n3vxQ1o8Zr5tYw2uLk7sDf0gHj4aBc6e";
    private static final String[] ALPHABET = {"a", "Z", "0", "-", ".", "_", "~", " ", "+", "%", "=", "'", "\"", "\\",
        "/", "?", "#", "ö", "東", "\ud83d\ude80", "\u0000", "\u001f", "\n", "\r", "\t", "\b", "\f",
        "\u007f", "\u2028"};

    private interface Property {
        void holds(Random random) throws Exception;
    }

    private static void forAll(int seeds, Property property) {
        for (int seed = 1; seed <= seeds; seed++) {
            int drawn = seed;
            assertDoesNotThrow(() -> property.holds(new Random(drawn)), "with seed " + drawn);
        }
    }

    private static String text(Random random, int most) {
        return random.ints(random.nextInt(most + 1), 0, ALPHABET.length).mapToObj(each -> ALPHABET[each])
                .collect(Collectors.joining());
    }

    private static PosternClient parameters(long now) {
        return PosternClient.parameterSignature("k", SECRET)
                .clock(Clock.fixed(Instant.ofEpochSecond(now), ZoneOffset.UTC)).build();
    }

    @Test
    void writtenParametersAreReadAsTheyWere() {
        forAll(300, random -> {
            String name = text(random, 10) + "&";
            String value = text(random, 30);
            String[] written = EncodeParameters.of(name, value).split("=", -1);
            assertEquals(2, written.length);
            assertEquals(name, URLDecoder.decode(written[0], UTF_8));
            assertEquals(value, URLDecoder.decode(written[1], UTF_8));
            assertTrue(written[1].matches("([A-Za-z0-9._~-]|%[0-9A-F]{2})*"), written[1]);
        });
    }

    @Test
    void parametersAreSignedSorted() {
        forAll(300, random -> {
            long now = 1 + random.nextInt(2_000_000_000);
            List<Map.Entry<String, String>> given = new ArrayList<>();
            for (int count = random.nextInt(8); count > 0; count--) {
                given.add(Map.entry(text(random, 3).replace("=", "") + "x", text(random, 8)));
            }
            String query = given.stream().map(each -> URLEncoder.encode(each.getKey(), UTF_8) + "="
                    + URLEncoder.encode(each.getValue(), UTF_8)).collect(Collectors.joining("&"));
            SignedRequest signed = parameters(now).sign(RequestToSign.of("GET", "https://a/b?" + query));
            given.add(Map.entry("appKey", "k"));
            given.add(Map.entry("apiTimestamp", String.valueOf(now)));
            String expected = given.stream()
                    .sorted(Comparator.comparing(each -> each.getKey().getBytes(UTF_8), Arrays::compareUnsigned))
                    .map(each -> each.getKey() + "=" + each.getValue()).collect(Collectors.joining("&"));
            assertEquals(expected, signed.stringToSign().orElseThrow());
            byte[] hash = MessageDigest.getInstance("SHA-512").digest((expected + SECRET).getBytes(UTF_8));
            String sign = signed.target().substring(signed.target().length() - 128);
            assertEquals(Base64.getEncoder().encodeToString(hash), Base64.getEncoder().encodeToString(bytes(sign)));
            assertTrue(signed.target().startsWith("/b?" + query), signed.target());
        });
    }

    private static byte[] bytes(String hex) {
        byte[] bytes = new byte[hex.length() / 2];
        for (int at = 0; at < bytes.length; at++) {
            bytes[at] = (byte) Integer.parseInt(hex.substring(2 * at, 2 * at + 2), 16);
        }
        return bytes;
    }

    @Test
    void aWrapperHoldsTheTextAsItWas() {
        forAll(300, random -> {
            String text = text(random, 60) + "x";
            SignedRequest signed = parameters(5).sign(RequestToSign.of("POST", "https://a/b")
                    .header("Content-Type", "application/json").body(text.getBytes(UTF_8)));
            Map<?, ?> wrapper = (Map<?, ?>) Json.read(new String(signed.body(), UTF_8));
            assertEquals(List.of("data", "appKey", "sign", "apiTimestamp"), new ArrayList<>(wrapper.keySet()));
            assertEquals(text, wrapper.get("data"));
            assertEquals(5L, wrapper.get("apiTimestamp"));
            assertEquals("apiTimestamp=5&appKey=k&data=" + text, signed.stringToSign().orElseThrow());
        });
    }

    @Test
    void everyByteOfAnHmacRequestIsSigned() {
        forAll(200, random -> {
            byte[] body = new byte[1 + random.nextInt(200)];
            random.nextBytes(body);
            PosternClient client = PosternClient.hmac("k", SECRET).signedHeaders("host", "x-a")
                    .clock(Clock.fixed(Instant.ofEpochSecond(random.nextInt()), ZoneOffset.UTC)).build();
            RequestToSign request = RequestToSign.of("POST", "https://a.example/b?" + random.nextInt())
                    .header("X-A", "1");
            SignedRequest signed = client.sign(request.body(body));
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(SECRET.getBytes(UTF_8), "any"));
            String signature = Base64.getEncoder().encodeToString(
                    mac.doFinal(signed.stringToSign().orElseThrow().getBytes(UTF_8)));
            String authorization = signed.headerList().first("Authorization").orElseThrow();
            assertTrue(authorization.endsWith("signature=\"" + signature + "\""));
            body[random.nextInt(body.length)] ^= 1 << random.nextInt(8);
            SignedRequest other = client.sign(request.body(body));
            assertNotEquals(authorization, other.headerList().first("Authorization").orElseThrow());
            assertArrayEquals(body, other.body());
        });
    }

    @Test
    void jsonIsReadOrRefused() {
        forAll(500, random -> {
            String[] parts = {"{", "}", "[", "]", ",", ":", "\"", "\\", "u00e9", "\\u12", "1", "-", "0", ".", "e",
                "true", "null", "\"a\"", " ", "x", "\u0001"};
            String text = random.ints(random.nextInt(12), 0, parts.length).mapToObj(each -> parts[each])
                    .collect(Collectors.joining());
            try {
                Object value = Json.read(text);
                assertEquals(value, Json.read(JsonWriter.write(value)), "read in another way when written: " + text);
            } catch (IllegalArgumentException e) {
                assertTrue(e.getMessage().startsWith("no JSON from character"), e.toString());
            }
        });
    }

    @Test
    void jsonThatIsDeepIsRefused() {
        assertTrue(Json.readObject("{\"a\":".repeat(100_000)).isEmpty());
        assertTrue(Json.readObject("{\"a\":" + "[".repeat(60) + "]".repeat(60) + "}").isPresent());
    }

    @Test
    void datesAreReadAsTheyWereWritten() {
        forAll(300, random -> {
            long seconds = random.nextInt() & 0xFFFFFFFFL;
            String date = HttpDates.write(seconds);
            assertTrue(date.matches("[A-Z][a-z]{2}, [0-9]{2} [A-Z][a-z]{2} [0-9]{4} [0-9:]{8} GMT"), date);
            assertEquals(seconds, HttpDates.read(date).orElseThrow());
        });
    }

    @Test
    void noWrapperIsSignedTwiceWithANonce() {
        PosternClient client = PosternClient.parameterSignature("k", SECRET).nonce(true)
                .clock(Clock.fixed(Instant.ofEpochSecond(1000), ZoneOffset.UTC)).build();
        RequestToSign request = RequestToSign.of("POST", "https://a/b").header("Content-Type", "application/json")
                .body("{}".getBytes(UTF_8));
        Set<String> times = new HashSet<>();
        for (int count = 0; count <= 60; count++) {
            times.add(client.sign(request).stringToSign().orElseThrow());
        }
        assertEquals(61, times.size());
        assertTrue(times.contains("apiTimestamp=1060&appKey=k&data={}"));
        assertEquals("apiTimestamp=1060&appKey=k&data={}", client.sign(request).stringToSign().orElseThrow());
        assertEquals("apiTimestamp=1000&appKey=k&data=[]",
                client.sign(request.body("[]".getBytes(UTF_8))).stringToSign().orElseThrow());
    }

    @Test
    void noncesDiffer() {
        Set<String> nonces = new HashSet<>();
        for (int count = 0; count < 1000; count++) {
            nonces.add(Nonces.next());
        }
        assertEquals(1000, nonces.size());
        assertTrue(nonces.stream().allMatch(each -> each.matches("[0-9a-f]{32}")));
    }
}

package io.github.postern.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What is a refusal of the gateway, and what stays an answer of the API. */
class RefusalTest {
    private static final String BODY =
            "{\"code\":\"RATE_LIMITED\",\"message\":\"The limit of requests is reached.\",\"requestId\":\"1f0c\"}";

    private static Optional<Refusal> read(int status, String type, String body) {
        return Refusal.read(status, Map.of("content-type", List.of(type)), body.getBytes(StandardCharsets.UTF_8));
    }

    private static OptionalLong retryAfter(String text) {
        return Refusal.read(429, Map.of("Content-Type", List.of("application/json"), "retry-after", List.of(text)),
                BODY.getBytes(StandardCharsets.UTF_8)).orElseThrow().retryAfterSeconds();
    }

    @Test
    void readsAllOfIt() {
        Refusal refusal = read(401, "Application/JSON; charset=utf-8",
                "{\"code\":\"A\",\"message\":\"é\\n\",\"requestId\":\"r\",\"stringToSign\":\"date: x\",\"more\":[1]}")
                .orElseThrow();
        assertEquals(401, refusal.status());
        assertEquals("A", refusal.code());
        assertEquals("é\n", refusal.message());
        assertEquals("r", refusal.requestId().orElseThrow());
        assertEquals("date: x", refusal.stringToSign().orElseThrow());
        assertTrue(refusal.retryAfterSeconds().isEmpty());
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "null", "[]", "\"RATE_LIMITED\"", "{}", "{\"code\":\"A\",\"message\":\"m\"}",
        "{\"code\":1,\"message\":\"m\",\"requestId\":\"r\"}", "{\"code\":\"A\",\"message\":null,\"requestId\":\"r\"}",
        "{\"code\":\"A\",\"message\":\"m\",\"requestId\":\"r\"} x",
        "{\"code\":\"A\",\"message\":\"m\",\"requestId\":\"r\""})
    void anotherBodyIsNone(String body) {
        assertTrue(read(401, "application/json", body).isEmpty());
    }

    @Test
    void anotherAnswerIsNone() {
        assertTrue(read(200, "application/json", BODY).isEmpty());
        assertTrue(read(401, "text/plain", BODY).isEmpty());
        assertTrue(read(401, "application/problem+json", BODY).isEmpty());
        assertTrue(read(401, "application/json", BODY.replace("}", " ".repeat(65_536) + "}")).isEmpty());
        assertTrue(Refusal.read(401, Map.of(), BODY.getBytes(StandardCharsets.UTF_8)).isEmpty());
        byte[] notUtf8 = BODY.getBytes(StandardCharsets.UTF_8);
        notUtf8[BODY.indexOf("limit")] = (byte) 0xFF;
        assertTrue(Refusal.read(401, Map.of("Content-Type", List.of("application/json")), notUtf8).isEmpty());
    }

    @Test
    void aBodyOfTheLargestSizeIsRead() {
        assertTrue(read(401, "application/json", BODY + " ".repeat(65_536 - BODY.length())).isPresent());
        assertTrue(read(401, "application/json", BODY + " ".repeat(65_537 - BODY.length())).isEmpty());
    }

    @ParameterizedTest
    @CsvSource({"0, 0", "7, 7", "' 60 ', 60", "9999999999, 9999999999"})
    void readsRetryAfterInSeconds(String text, long seconds) {
        assertEquals(OptionalLong.of(seconds), retryAfter(text));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "-1", "1.5", "+1", "soon", "99999999999", "\u0661"})
    void anotherRetryAfterIsNone(String text) {
        assertEquals(OptionalLong.empty(), retryAfter(text));
    }

    @Test
    void readsRetryAfterAsADate() {
        long now = System.currentTimeMillis() / 1000;
        long wait = retryAfter(HttpDates.write(now + 30)).orElseThrow();
        assertTrue(wait >= 28 && wait <= 31, "waits " + wait);
        assertEquals(OptionalLong.of(0), retryAfter(HttpDates.write(now - 1000)));
    }

    @ParameterizedTest
    @ValueSource(strings = {"Sun, 06 Nov 1994 08:49:37 GMT", "Sun Nov  6 08:49:37 1994"})
    void readsTheDatesOfHttp(String text) {
        assertEquals(784111777, HttpDates.read(text).orElseThrow());
    }

    @Test
    void readsDatesWithTwoDigitsOfTheYear() {
        assertEquals(HttpDates.read("Sun, 01 Nov 2026 00:00:00 GMT"), HttpDates.read("Sunday, 01-Nov-26 00:00:00 GMT"));
    }

    @Test
    void canBeKept() throws Exception {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
            out.writeObject(new RefusalException(read(429, "application/json", BODY).orElseThrow()));
        }
        try (ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
            RefusalException kept = (RefusalException) in.readObject();
            assertEquals("RATE_LIMITED", kept.refusal().code());
            assertEquals("Refusal: 429 RATE_LIMITED: The limit of requests is reached. (request 1f0c)",
                    kept.getMessage());
        }
    }
}

package io.github.postern.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What {@link PosternHttpClient} tries again, when, and with which signature. */
class HttpRetryTest {
    private static final String SECRET = "n3vxQ1o8Zr5tYw2uLk7sDf0gHj4aBc6e";

    private final TestTime time = new TestTime();
    private final HmacBuilder hmac = PosternClient.hmac("k", SECRET).clock(time);
    private TestServer server;

    @BeforeEach
    void start() throws IOException {
        server = new TestServer();
    }

    @AfterEach
    void stop() {
        server.close();
    }

    private HttpResponse<String> post() throws Exception {
        return send("POST");
    }

    private HttpResponse<String> send(String method) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(URI.create(server.url("/invoices")))
                .method(method, BodyPublishers.ofString("{}")).build();
        return http().send(request, BodyHandlers.ofString());
    }

    private PosternHttpClient http() {
        return new PosternHttpClient(hmac.build(), HttpClient.newHttpClient(), time);
    }

    private List<Long> seconds() {
        return time.waits().stream().map(Duration::getSeconds).collect(Collectors.toList());
    }

    private void assertNoSignatureTwice() {
        List<String> signatures = server.received().stream().map(each -> each.header("Authorization"))
                .collect(Collectors.toList());
        assertEquals(signatures.size(), signatures.stream().distinct().count(), "a signature was used twice");
    }

    @Test
    void rateLimitedWaitsAsLongAsTheGatewaySays() throws Exception {
        server.refuse(429, "RATE_LIMITED", "Retry-After", "7").refuse(429, "RATE_LIMITED", "Retry-After", "0");
        assertEquals(200, post().statusCode());
        assertEquals(List.of(7L, 1L), seconds());
        assertNoSignatureTwice();
    }

    @ParameterizedTest
    @ValueSource(strings = {"61", "99999999999", "soon", "Sat, 21 Nov 2099 02:40:00 GMT"})
    void rateLimitedForLongIsTheAnswer(String retryAfter) throws Exception {
        server.refuse(429, "RATE_LIMITED", "Retry-After", retryAfter);
        assertEquals("RATE_LIMITED", Refusal.of(post()).orElseThrow().code());
        assertEquals(1, server.received().size());
    }

    @ParameterizedTest
    @ValueSource(strings = {"UNAVAILABLE", "STORE_UNAVAILABLE", "LIMITER_UNAVAILABLE"})
    void unavailableBacksOff(String code) throws Exception {
        server.refuse(503, code).refuse(503, code).refuse(503, code);
        hmac.retries(3);
        assertEquals(200, post().statusCode());
        for (int at = 0; at < 3; at++) {
            long least = 1000L << at;
            long waited = time.waits().get(at).toMillis();
            assertTrue(waited >= least && waited <= least * 1.2, "waited " + waited + " ms");
        }
        assertNoSignatureTwice();
    }

    @Test
    void retriesEnd() throws Exception {
        server.refuse(503, "UNAVAILABLE").refuse(503, "UNAVAILABLE").refuse(503, "UNAVAILABLE");
        assertEquals("UNAVAILABLE", Refusal.of(post()).orElseThrow().code());
        assertEquals(3, server.received().size());
    }

    @Test
    void retriesCanBeSwitchedOff() throws Exception {
        server.refuse(503, "UNAVAILABLE");
        hmac.retries(0);
        assertEquals(503, post().statusCode());
        assertEquals(1, server.received().size());
    }

    @Test
    void whatMayHaveReachedTheApiIsNotSentAgain() throws Exception {
        server.refuse(503, "GATEWAY_ERROR");
        assertEquals(503, post().statusCode());
        server.then(503, "busy", "Retry-After", "1");
        assertEquals("busy", post().body());
        assertEquals(2, server.received().size());
    }

    @Test
    void replayedIsTriedAfterASecondWhereItMayBeRepeated() throws Exception {
        server.refuse(401, "REQUEST_REPLAYED");
        assertEquals(200, send("PUT").statusCode());
        assertEquals(List.of(Duration.ofSeconds(1)), time.waits());
        assertNoSignatureTwice();
    }

    @Test
    void replayedIsTheAnswerWhereTheApiHasIt() throws Exception {
        server.refuse(401, "REQUEST_REPLAYED");
        assertTrue(Refusal.of(post()).orElseThrow().isAcceptedBefore());
        assertEquals(1, server.received().size());
    }

    @ParameterizedTest
    @ValueSource(strings = {"AUTHENTICATION_FAILED", "TOKEN_INVALID", "CREDENTIALS_MALFORMED"})
    void otherRefusalsAreTheAnswer(String code) throws Exception {
        server.refuse(401, code);
        assertEquals(code, Refusal.of(post()).orElseThrow().code());
        assertEquals(1, server.received().size());
    }

    private void expireAt(long secondsAhead) {
        server.then(exchange -> {
            exchange.getResponseHeaders().set("Content-Type", "application/json");
            byte[] body = "{\"code\":\"REQUEST_EXPIRED\",\"message\":\"No.\",\"requestId\":\"r\"}".getBytes();
            // The server of Java sets Date itself when the head is sent, and so the clock of the client is moved.
            exchange.sendResponseHeaders(401, body.length);
            exchange.getResponseBody().write(body);
        });
        time.pass(Duration.ofSeconds(Instant.now().getEpochSecond() - secondsAhead
                - time.instant().getEpochSecond()));
    }

    @Test
    void theClockIsCorrectedOnceAndAtOnce() throws Exception {
        hmac.clockCorrection(Duration.ofSeconds(1000)).retries(0);
        expireAt(900);
        PosternHttpClient http = http();
        HttpRequest request = HttpRequest.newBuilder(URI.create(server.url("/"))).build();
        assertEquals(200, http.send(request, BodyHandlers.ofString()).statusCode());
        assertEquals(0, time.waits().size());
        assertEquals(200, http.send(request, BodyHandlers.ofString()).statusCode());
        long kept = HttpDates.read(server.received().get(2).header("Date")).orElseThrow()
                - time.instant().getEpochSecond();
        assertTrue(Math.abs(kept - 900) <= 2, "kept " + kept);
        expireAt(900);
        server.refuse(401, "REQUEST_EXPIRED");
        assertEquals(401, http.send(request, BodyHandlers.ofString()).statusCode());
    }

    @Test
    void theClockIsCorrectedOncePerCall() throws Exception {
        hmac.clockCorrection(Duration.ofSeconds(1000));
        time.pass(Duration.ofSeconds(Instant.now().getEpochSecond() - time.instant().getEpochSecond()));
        for (int count = 0; count < 3; count++) {
            // The difference is another one at each answer.
            server.then(exchange -> {
                time.pass(Duration.ofSeconds(-100));
                exchange.getResponseHeaders().set("Content-Type", "application/json");
                exchange.sendResponseHeaders(401, 0);
                exchange.getResponseBody()
                        .write("{\"code\":\"REQUEST_EXPIRED\",\"message\":\"No.\",\"requestId\":\"r\"}".getBytes());
            });
        }
        assertEquals("REQUEST_EXPIRED", Refusal.of(post()).orElseThrow().code());
        assertEquals(2, server.received().size());
    }

    @Test
    void aLargeDifferenceIsIgnored() throws Exception {
        hmac.clockCorrection(Duration.ofSeconds(1000));
        expireAt(1100);
        assertEquals("REQUEST_EXPIRED", Refusal.of(post()).orElseThrow().code());
        assertEquals(1, server.received().size());
    }

    @Test
    void theClockIsNotCorrectedUnlessWanted() throws Exception {
        expireAt(10);
        assertEquals("REQUEST_EXPIRED", Refusal.of(post()).orElseThrow().code());
        assertEquals(1, server.received().size());
    }

    @Test
    void aLostConnectionIsTriedAgainForMethodsThatMayBeRepeated() throws Exception {
        server.breakOff().breakOff();
        assertEquals(200, send("PUT").statusCode());
        assertEquals(List.of(1L, 2L), seconds());
        assertNoSignatureTwice();
    }

    @ParameterizedTest
    @ValueSource(strings = {"POST", "PATCH"})
    void aLostConnectionIsAnErrorForOtherMethods(String method) {
        server.breakOff();
        assertThrows(IOException.class, () -> send(method));
        assertEquals(1, server.received().size());
    }

    @Test
    void anAnswerThatBreaksOffIsAnError() {
        server.then(exchange -> {
            exchange.sendResponseHeaders(200, 1000);
            exchange.getResponseBody().write(1);
            exchange.getResponseBody().flush();
            throw new IOException("gone");
        });
        assertThrows(IOException.class, () -> send("GET"));
        assertEquals(1, server.received().size());
    }

    @Test
    void everyAttemptHasAnotherNonce() throws Exception {
        hmac.nonce(true);
        server.refuse(503, "UNAVAILABLE");
        post();
        assertNotEquals(server.received().get(0).header("X-Nonce"), server.received().get(1).header("X-Nonce"));
        assertTrue(server.received().get(0).header("X-Nonce").matches("[0-9a-f]{32}"));
    }

    @Test
    void cancellingEndsTheWait() throws Exception {
        CompletableFuture<Void> wait = new CompletableFuture<>();
        server.refuse(503, "UNAVAILABLE");
        CompletableFuture<Boolean> isWaiting = new CompletableFuture<>();
        PosternHttpClient http = new PosternHttpClient(hmac.build(), HttpClient.newHttpClient(), (after, executor) -> {
            isWaiting.complete(true);
            return wait;
        });
        HttpRequest request = HttpRequest.newBuilder(URI.create(server.url("/"))).build();
        CompletableFuture<HttpResponse<String>> call = http.sendAsync(request, BodyHandlers.ofString());
        isWaiting.get(10, TimeUnit.SECONDS);
        // Tracked right after the wait began, on another thread.
        for (int tries = 0; tries < 1000 && !wait.isCancelled(); tries++) {
            call.cancel(true);
            TimeUnit.MILLISECONDS.sleep(1);
        }
        assertTrue(wait.isCancelled());
        assertThrows(CancellationException.class, call::join);
        assertEquals(1, server.received().size());
    }

    @Test
    void waitingHoldsNoThread() throws Exception {
        ExecutorService one = Executors.newSingleThreadExecutor();
        try {
            HttpClient library = HttpClient.newBuilder().executor(one).build();
            CompletableFuture<Void> wait = new CompletableFuture<>();
            CompletableFuture<Boolean> isWaiting = new CompletableFuture<>();
            PosternHttpClient http = new PosternHttpClient(hmac.build(), library, (after, executor) -> {
                isWaiting.complete(true);
                return wait;
            });
            server.refuse(503, "UNAVAILABLE");
            HttpRequest request = HttpRequest.newBuilder(URI.create(server.url("/"))).build();
            CompletableFuture<HttpResponse<String>> first = http.sendAsync(request, BodyHandlers.ofString());
            isWaiting.get(10, TimeUnit.SECONDS);
            assertEquals(200, http.sendAsync(request, BodyHandlers.ofString()).get(10, TimeUnit.SECONDS).statusCode());
            assertFalse(first.isDone());
            wait.complete(null);
            assertEquals(200, first.get(10, TimeUnit.SECONDS).statusCode());
        } finally {
            one.shutdownNow();
        }
    }

    @Test
    void anInterruptIsPassedOn() throws Exception {
        PosternHttpClient http = new PosternHttpClient(hmac.build(), HttpClient.newHttpClient(),
                (after, executor) -> new CompletableFuture<>());
        server.refuse(503, "UNAVAILABLE");
        HttpRequest request = HttpRequest.newBuilder(URI.create(server.url("/"))).build();
        Thread.currentThread().interrupt();
        assertThrows(InterruptedException.class, () -> http.send(request, BodyHandlers.ofString()));
    }

    @Test
    void waitsAreNotShorterThanSaid() throws Exception {
        long start = System.nanoTime();
        Delays.ofJava().after(Duration.ofMillis(50), Runnable::run).get(10, TimeUnit.SECONDS);
        assertTrue(System.nanoTime() - start >= 50_000_000);
    }
}

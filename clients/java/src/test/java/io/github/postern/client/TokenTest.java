package io.github.postern.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Access tokens: asked for, kept, renewed and dropped. */
class TokenTest {
    private static final String SECRET = "p+s%s w:rd/ü=x";

    private final TestTime time = new TestTime();
    private TestServer api;
    private TestServer tokens;
    private PosternHttpClient http;

    @BeforeEach
    void start() throws IOException {
        api = new TestServer();
        tokens = new TestServer();
        PosternClient client = PosternClient.oauth2("client.1", SECRET, tokens.url("/oauth2/token"))
                .nanoTime(time::nanoTime).clock(time).build();
        http = new PosternHttpClient(client, HttpClient.newHttpClient(), time);
    }

    @AfterEach
    void stop() {
        api.close();
        tokens.close();
    }

    private void give(String token, String life) {
        tokens.then(200, "{\"access_token\":\"" + token + "\",\"token_type\":\"bearer\",\"expires_in\":" + life + "}",
                "Content-Type", "application/json");
    }

    private HttpRequest request() {
        return HttpRequest.newBuilder(URI.create(api.url("/stock"))).build();
    }

    private HttpResponse<String> call() throws Exception {
        return http.send(request(), BodyHandlers.ofString());
    }

    private List<String> sent() {
        return api.received().stream().map(each -> each.header("Authorization")).collect(Collectors.toList());
    }

    @Test
    void asksAsTheStandardSays() throws Exception {
        give("t1", "3600");
        assertEquals(200, call().statusCode());
        TestServer.Received question = tokens.only();
        assertEquals("POST", question.method);
        assertEquals("grant_type=client_credentials", question.text());
        assertEquals("application/x-www-form-urlencoded", question.header("Content-Type"));
        assertEquals("Basic " + Base64.getEncoder().encodeToString("client.1:p%2Bs%25s+w%3Ard%2F%C3%BC%3Dx".getBytes()),
                question.header("Authorization"));
        assertEquals(List.of("Bearer t1"), sent());
    }

    @ParameterizedTest
    @CsvSource({"3600, 3539, 3541", "600, 539, 541", "100, 89, 91", "10, 8, 10"})
    void renewsATokenThatEndsSoon(long life, long stillUsed, long renewed) throws Exception {
        give("t1", String.valueOf(life));
        give("t2", "3600");
        call();
        time.pass(Duration.ofSeconds(stillUsed));
        call();
        time.pass(Duration.ofSeconds(renewed - stillUsed));
        call();
        assertEquals(List.of("Bearer t1", "Bearer t1", "Bearer t2"), sent());
    }

    @Test
    void callsAtTheSameTimeAskOnce() throws Exception {
        CountDownLatch allStarted = new CountDownLatch(1);
        tokens.then(exchange -> {
            try {
                allStarted.await(10, TimeUnit.SECONDS);
            } catch (InterruptedException e) {
                throw new IOException(e);
            }
            byte[] body = "{\"access_token\":\"t1\",\"token_type\":\"Bearer\",\"expires_in\":60}".getBytes();
            exchange.sendResponseHeaders(200, body.length);
            exchange.getResponseBody().write(body);
        });
        List<CompletableFuture<HttpResponse<String>>> calls = new ArrayList<>();
        for (int count = 0; count < 20; count++) {
            calls.add(http.sendAsync(request(), BodyHandlers.ofString()));
        }
        calls.remove(10).cancel(true);
        calls.remove(0).cancel(true);
        allStarted.countDown();
        for (CompletableFuture<HttpResponse<String>> each : calls) {
            assertEquals(200, each.get(10, TimeUnit.SECONDS).statusCode());
        }
        assertEquals(1, tokens.received().size());
        assertEquals(18, api.received().size(), "a cancelled call was made");
    }

    @Test
    void aRefusedTokenIsDroppedOnce() throws Exception {
        give("t1", "3600");
        give("t2", "3600");
        give("t3", "3600");
        api.refuse(401, "TOKEN_INVALID").refuse(401, "TOKEN_INVALID");
        assertEquals("TOKEN_INVALID", Refusal.of(call()).orElseThrow().code());
        assertEquals(List.of("Bearer t1", "Bearer t2"), sent());
        assertEquals(0, time.waits().size());
        assertEquals(200, call().statusCode());
        assertEquals("Bearer t3", sent().get(2));
    }

    @Test
    void aRefusedTokenIsRenewedWithoutRetriesToo() throws Exception {
        PosternClient client = PosternClient.oauth2("c", SECRET, tokens.url("/")).retries(0).build();
        http = PosternHttpClient.of(client);
        give("t1", "3600");
        give("t2", "3600");
        api.refuse(401, "TOKEN_INVALID");
        assertEquals(200, call().statusCode());
    }

    @Test
    void aLateRefusalDoesNotDropTheNextToken() throws Exception {
        give("t1", "3600");
        give("t2", "3600");
        TokenSource source = http.postern().tokens().orElseThrow();
        AccessToken first = source.get(http.tokenTransport()).get();
        source.drop(first);
        AccessToken second = source.get(http.tokenTransport()).get();
        source.drop(first);
        assertSame(second, source.get(http.tokenTransport()).get());
        assertEquals("t2", second.text().reveal());
    }

    @Test
    void saysWhyThereIsNoToken() throws Exception {
        tokens.then(401, "{\"error\":\"invalid_client\",\"error_description\":\"Unknown client.\"}",
                "Content-Type", "application/json");
        TokenException refused = assertThrows(TokenException.class, this::call);
        assertEquals("invalid_client", refused.error().orElseThrow());
        assertEquals("The token URL answered 401 invalid_client", refused.getMessage());
        assertEquals(401, refused.status().orElseThrow());
        assertTrue(api.received().isEmpty());
        give("t1", "3600");
        assertEquals(200, call().statusCode(), "a failure is not kept");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "[]", "{}", "{\"access_token\":7,\"token_type\":\"bearer\"}",
        "{\"access_token\":\"\",\"token_type\":\"bearer\"}", "{\"access_token\":\"hidden\"}",
        "{\"access_token\":\"hidden\",\"token_type\":\"mac\"}",
        "{\"access_token\":\"hidden\\r\\nX: 1\",\"token_type\":\"bearer\"}",
        "{\"access_token\":\"hidden\",\"token_type\":\"bearer\",\"expires_in\":\"3600\"}",
        "{\"access_token\":\"hidden\",\"token_type\":\"bearer\",\"expires_in\":-1}"})
    void anAnswerThatIsNoTokenIsAnError(String answer) {
        tokens.then(200, answer, "Content-Type", "application/json");
        TokenException refused = assertThrows(TokenException.class, this::call);
        assertFalse(refused.toString().contains("hidden"), refused.toString());
        assertTrue(api.received().isEmpty());
    }

    @Test
    void aTokenUrlThatRedirectsGetsNoSecretElsewhere() throws Exception {
        try (TestServer other = new TestServer()) {
            tokens.then(307, "", "Location", other.url("/"));
            assertEquals(307, assertThrows(TokenException.class, this::call).status().orElseThrow());
            assertTrue(other.received().isEmpty());
        }
    }

    @Test
    void anEndlessAnswerIsAnError() {
        tokens.then(200, "{\"access_token\":\"" + "x".repeat(100_000) + "\"}", "Content-Type", "application/json");
        TokenException refused = assertThrows(TokenException.class, this::call);
        assertTrue(refused.getMessage().contains("too large"), refused.getMessage());
    }

    @Test
    void aTokenUrlThatIsDownIsAnError() {
        tokens.close();
        TokenException refused = assertThrows(TokenException.class, this::call);
        assertTrue(refused.status().isEmpty());
        assertTrue(refused.getCause() instanceof IOException);
    }
}

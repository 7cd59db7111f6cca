package io.github.postern.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.Collectors;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.RequestBody;
import okhttp3.Response;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What both adapters do with message signatures and assertions, beyond the vectors. */
class MessageSignatureTest {
    private static final String ASKS =
            "sig1=(\"@method\" \"@authority\" \"@path\" \"@query\");created;nonce=\"theirs\";tag=\"app\"";
    private static final SigningKey KEY = key();

    private final TestTime time = new TestTime();
    private TestServer server;

    private static SigningKey key() {
        try {
            return SigningKey.ofPem(SigningKeyTest.pem(SigningKeyTest.pair("secp256r1").getPrivate()));
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    @BeforeEach
    void start() throws IOException {
        server = new TestServer();
    }

    @AfterEach
    void stop() {
        server.close();
    }

    private int post(String adapter, ClientBuilder<?> builder) throws Exception {
        PosternClient client = builder.clock(time).build();
        if (adapter.equals("okhttp")) {
            OkHttpClient http = PosternOkHttp.of(client, new OkHttpClient(), time);
            Request request = new Request.Builder().url(server.url("/a")).post(RequestBody.create(new byte[] {1}, null))
                    .build();
            try (Response response = http.newCall(request).execute()) {
                return response.code();
            }
        }
        HttpRequest request = HttpRequest.newBuilder(URI.create(server.url("/a")))
                .POST(BodyPublishers.ofByteArray(new byte[] {1})).build();
        return new PosternHttpClient(client, HttpClient.newHttpClient(), time).send(request, BodyHandlers.discarding())
                .statusCode();
    }

    private List<String> inputs() {
        return server.received().stream().map(each -> each.header("Signature-Input")).collect(Collectors.toList());
    }

    private static MessageSignatureBuilder signer() {
        return PosternClient.messageSignature("acme-2026", KEY);
    }

    @ParameterizedTest
    @ValueSource(strings = {"java.net.http", "okhttp"})
    void makesOnceWhatA401AsksFor(String adapter) throws Exception {
        server.refuse(401, "AUTHENTICATION_FAILED", "Accept-Signature", ASKS)
                .refuse(503, "UNAVAILABLE", "Retry-After", "1")
                .refuse(401, "CREDENTIALS_MALFORMED", "Accept-Signature", ASKS.replace("app", "b"));
        assertEquals(401, post(adapter, signer().nonce(false)));
        List<String> inputs = inputs();
        assertEquals(3, inputs.size());
        assertFalse(inputs.get(0).contains("nonce"), inputs.get(0));
        assertTrue(inputs.get(1).endsWith(";nonce=\"theirs\";tag=\"app\""), inputs.get(1));
        assertTrue(inputs.get(2).matches(".*;nonce=\"[0-9a-f]{32}\";tag=\"app\""), inputs.get(2));
        assertTrue(server.received().stream().allMatch(each -> each.body.length == 1), "a body is missing");
    }

    @ParameterizedTest
    @CsvSource({"401, REQUEST_EXPIRED", "403, CREDENTIALS_MISSING", "401, AUTHENTICATION_FAILED"})
    void takesOtherAnswersAsTheyAre(int status, String code) throws Exception {
        String asked = code.equals("AUTHENTICATION_FAILED") ? "sig1=(\"@method\");created" : ASKS;
        server.refuse(status, code, "Accept-Signature", asked);
        assertEquals(status, post("java.net.http", signer()));
        assertEquals(1, inputs().size());
    }

    @ParameterizedTest
    @ValueSource(strings = {"java.net.http", "okhttp"})
    void sendsNothingWhenTheSignerFails(String adapter) {
        SigningKey failing = SigningKey.of(SignatureAlgorithm.ED25519, message -> {
            throw new IllegalStateException("locked");
        });
        Exception message = assertThrows(Exception.class,
                () -> post(adapter, PosternClient.messageSignature("k", failing)));
        Exception tokens = assertThrows(Exception.class,
                () -> post(adapter, PosternClient.privateKeyJwt("k", failing, server.url("/oauth2/token"))));
        for (Exception each : List.of(message, tokens)) {
            SigningProblem problem = each instanceof NotSentException ? ((NotSentException) each).problem()
                    : (SigningProblem) each;
            assertEquals(SigningProblem.Code.SIGNER_FAILED, problem.code());
        }
        assertEquals(0, server.received().size());
    }

    @ParameterizedTest
    @CsvSource({"3600, 7200, 2", "10800, 7200, 1", "10, 7200, 1", "3600, 0, 1"})
    void correctsOnceAClockThatAnAssertionShowsWrong(long ahead, long most, int questions) {
        for (String adapter : List.of("java.net.http", "okhttp")) {
            server.received().clear();
            for (int answer = 0; answer < questions; answer++) {
                server.then(exchange -> {
                    byte[] body = "{\"error\":\"invalid_client\"}".getBytes();
                    exchange.getResponseHeaders().set("Content-Type", "application/json");
                    exchange.sendResponseHeaders(401, body.length);
                    exchange.getResponseBody().write(body);
                });
            }
            // The server sets the machine's Date, so the client's clock is moved away from it.
            time.pass(Duration.between(time.instant(), Instant.now().minusSeconds(ahead)));
            TokenException refused = assertThrows(TokenException.class, () -> post(adapter,
                    PosternClient.privateKeyJwt("k", KEY, server.url("/oauth2/token"))
                            .clockCorrection(Duration.ofSeconds(most))));
            assertEquals("invalid_client", refused.error().orElseThrow());
            assertEquals(questions, server.received().size(), adapter);
        }
    }

    @ParameterizedTest
    @CsvSource({"29, false", "30, true", "-29, false", "-30, true"})
    void aClockIsWrongFromHalfAMinuteOn(long seconds, boolean isWrong) {
        ClientClock clock = new ClientClock(time, Duration.ofHours(1));
        HeaderList answer = HeaderList.EMPTY.plus("Date", HttpDates.write(time.instant().getEpochSecond() + seconds));
        assertEquals(isWrong, clock.learnFromAssertion(answer, 0));
        assertEquals(isWrong ? seconds : 0, clock.correction());
    }

    @Test
    void refusesHostsThatAreSentOtherwise() {
        for (String host : List.of("köln.example", "a$b", "a b")) {
            SigningProblem problem = assertThrows(SigningProblem.class,
                    () -> signer().build().sign(RequestToSign.of("GET", "https://" + host + "/")));
            assertEquals(SigningProblem.Code.TARGET_NOT_SIGNABLE, problem.code());
        }
    }
}

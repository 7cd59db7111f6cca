package io.github.postern.client;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.Authenticator;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpTimeoutException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Flow;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What {@link PosternHttpClient} sends and gives. */
class HttpClientTest {
    private static final String SECRET = "n3vxQ1o8Zr5tYw2uLk7sDf0gHj4aBc6e";

    private final TestTime time = new TestTime();
    private TestServer server;

    @BeforeEach
    void start() throws IOException {
        server = new TestServer();
    }

    @AfterEach
    void stop() {
        server.close();
    }

    private PosternHttpClient http(ClientBuilder<?> builder) {
        return new PosternHttpClient(builder.clock(time).build(), HttpClient.newHttpClient(), time);
    }

    private HttpRequest.Builder request(String target) {
        return HttpRequest.newBuilder(URI.create(server.url(target)));
    }

    @Test
    void sendsWhatItSigned() throws Exception {
        HmacBuilder builder = PosternClient.hmac("k", SECRET).signedHeaders("host", "x-a");
        HttpRequest request = request("/invoices?year=2026").header("X-A", "1")
                .POST(BodyPublishers.ofString("{}")).build();
        HttpResponse<String> response = http(builder).send(request, BodyHandlers.ofString());
        assertEquals(200, response.statusCode());
        assertEquals("ok", response.body());
        SignedRequest expected = builder.build().sign(RequestToSign.of("POST", server.url("/invoices?year=2026"))
                .header("X-A", "1").body("{}".getBytes()));
        TestServer.Received got = server.only();
        assertEquals("/invoices?year=2026", got.target);
        assertEquals("{}", got.text());
        for (String name : List.of("Date", "Digest", "Authorization", "X-A")) {
            assertEquals(expected.headerList().all(name), HeaderList.of(got.headers).all(name));
        }
    }

    @Test
    void offersNoUpgradeOverPlainHttp() throws Exception {
        HttpRequest wantsHttp2 = request("/").version(HttpClient.Version.HTTP_2).build();
        http(PosternClient.hmac("k", SECRET)).send(wantsHttp2, BodyHandlers.discarding());
        assertNull(server.only().header("Upgrade"));
        assertNull(server.only().header("HTTP2-Settings"));
    }

    @Test
    void signsTheTargetThatTheLibrarySends() throws Exception {
        http(PosternClient.hmac("k", SECRET)).send(request("/orders?#part").build(), BodyHandlers.discarding());
        String signed = PosternClient.hmac("k", SECRET).clock(time).build()
                .sign(RequestToSign.of("GET", server.url("/orders"))).headerList().first("Authorization").orElseThrow();
        assertEquals("/orders", server.only().target);
        assertEquals(signed, server.only().header("Authorization"));
    }

    @Test
    void keepsTheSettingsOfTheRequest() throws Exception {
        server.then(exchange -> sleep(5_000));
        HttpRequest hasty = request("/").timeout(Duration.ofMillis(200)).build();
        assertThrows(HttpTimeoutException.class,
                () -> http(PosternClient.key("k")).send(hasty, BodyHandlers.discarding()));
        assertEquals(0, time.waits().size(), "the caller's own limit of time is not tried again");
    }

    private static void sleep(long milliseconds) {
        try {
            Thread.sleep(milliseconds);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void readsStreamsThatCanBeReadOnce() throws Exception {
        BodyPublisher once = BodyPublishers.ofInputStream(OneStream.of(new byte[100_000]));
        server.refuse(503, "UNAVAILABLE");
        HttpResponse<String> response = http(PosternClient.hmac("k", SECRET))
                .send(request("/").POST(once).build(), BodyHandlers.ofString());
        assertEquals(200, response.statusCode());
        assertArrayEquals(new byte[100_000], server.received().get(1).body);
    }

    @Test
    void sendsAStreamOnceWhenNothingSignsIt() throws Exception {
        BodyPublisher once = BodyPublishers.ofInputStream(OneStream.of("abc".getBytes()));
        server.refuse(503, "UNAVAILABLE");
        HttpResponse<String> response = http(PosternClient.key("k"))
                .send(request("/").POST(once).build(), BodyHandlers.ofString());
        assertEquals("UNAVAILABLE", Refusal.of(response).orElseThrow().code());
        assertEquals("abc", server.only().text());
    }

    @Test
    void sendsATextAgainWhenNothingSignsIt() throws Exception {
        server.refuse(503, "UNAVAILABLE");
        HttpRequest request = request("/").POST(BodyPublishers.ofString("abc")).build();
        assertEquals(200, http(PosternClient.key("k")).send(request, BodyHandlers.ofString()).statusCode());
        assertEquals("abc", server.received().get(1).text());
    }

    @Test
    void refusesABodyThatIsTooLargeBeforeItIsSent() {
        AtomicBoolean isClosed = new AtomicBoolean();
        BodyPublisher endless = BodyPublishers.ofInputStream(() -> new ByteArrayInputStream(new byte[10_485_761]) {
            @Override
            public void close() {
                isClosed.set(true);
            }
        });
        PosternHttpClient http = http(PosternClient.hmac("k", SECRET));
        SigningProblem problem = assertThrows(SigningProblem.class,
                () -> http.send(request("/").POST(endless).build(), BodyHandlers.discarding()));
        assertEquals(SigningProblem.Code.BODY_TOO_LARGE, problem.code());
        assertTrue(server.received().isEmpty());
        assertTrue(isClosed.get(), "the stream is left open");
    }

    @Test
    void refusesTheTargetBeforeTheBody() {
        HttpRequest request = request("/ä").POST(BodyPublishers.ofByteArray(new byte[10_485_761])).build();
        SigningProblem problem = assertThrows(SigningProblem.class,
                () -> http(PosternClient.hmac("k", SECRET)).send(request, BodyHandlers.discarding()));
        assertEquals(SigningProblem.Code.TARGET_NOT_SIGNABLE, problem.code());
    }

    @Test
    void leavesRefusalsReadableForEveryHandler(@TempDir Path folder) throws Exception {
        PosternHttpClient http = http(PosternClient.key("k"));
        String json = "{\"code\":\"NOT_AUTHORIZED\",\"message\":\"No.\",\"requestId\":\"r-1\"}";
        server.refuse(403, "NOT_AUTHORIZED").refuse(403, "NOT_AUTHORIZED").refuse(403, "NOT_AUTHORIZED");
        HttpRequest request = request("/").build();
        HttpResponse<String> text = http.send(request, BodyHandlers.ofString());
        assertEquals(json, text.body());
        assertEquals("NOT_AUTHORIZED", Refusal.of(text).orElseThrow().code());
        HttpResponse<InputStream> stream = http.send(request, BodyHandlers.ofInputStream());
        assertEquals(json, new String(stream.body().readAllBytes()));
        HttpResponse<Path> file = http.send(request, BodyHandlers.ofFile(folder.resolve("answer")));
        assertEquals(json, Files.readString(file.body()));
        assertEquals("r-1", Refusal.of(file).orElseThrow().requestId().orElseThrow());
    }

    @Test
    void writesNoFileForAnAnswerThatIsTriedAgain(@TempDir Path folder) throws Exception {
        server.refuse(503, "UNAVAILABLE");
        Path file = folder.resolve("answer");
        http(PosternClient.key("k")).send(request("/").build(),
                BodyHandlers.ofFile(file, StandardOpenOption.CREATE_NEW,
                        StandardOpenOption.WRITE));
        assertEquals("ok", Files.readString(file));
    }

    @Test
    void passesLargeAnswersOnAsTheyAre() throws Exception {
        String large = "[" + "1,".repeat(200_000) + "1]";
        server.then(400, large, "Content-Type", "application/json");
        server.then(400, large, "Content-Type", "application/json");
        PosternHttpClient http = http(PosternClient.key("k"));
        HttpResponse<String> text = http.send(request("/").build(), BodyHandlers.ofString());
        assertEquals(large, text.body());
        assertTrue(Refusal.of(text).isEmpty());
        HttpResponse<InputStream> stream = http.send(request("/").build(), BodyHandlers.ofInputStream());
        assertEquals(large, new String(stream.body().readAllBytes()));
    }

    @Test
    void givesAReaderNoMoreThanItAsksFor() throws Exception {
        String large = "[" + "1,".repeat(200_000) + "1]";
        server.then(400, large, "Content-Type", "application/json");
        OneAtATime reader = new OneAtATime();
        http(PosternClient.key("k")).sendAsync(request("/").build(), BodyHandlers.fromSubscriber(reader))
                .get(10, TimeUnit.SECONDS);
        assertEquals(large, reader.text.toString());
        assertFalse(reader.isFlooded.get(), "it got more than it asked for");
    }

    /** Asks for the next part while it is given one. */
    private static final class OneAtATime implements Flow.Subscriber<List<ByteBuffer>> {
        private final StringBuilder text = new StringBuilder();
        private final AtomicBoolean isFlooded = new AtomicBoolean();
        private final AtomicBoolean isBusy = new AtomicBoolean();
        private Flow.Subscription subscription;

        @Override
        public void onSubscribe(Flow.Subscription given) {
            subscription = given;
            subscription.request(1);
        }

        @Override
        public void onNext(List<ByteBuffer> buffers) {
            if (isBusy.getAndSet(true)) {
                isFlooded.set(true);
            }
            subscription.request(1);
            buffers.forEach(buffer -> text.append(StandardCharsets.US_ASCII.decode(buffer)));
            isBusy.set(false);
        }

        @Override
        public void onError(Throwable failure) {
            isFlooded.set(true);
        }

        @Override
        public void onComplete() {
            subscription = null;
        }
    }

    @Test
    void answersOfTheApiStayWhatTheyAre() throws Exception {
        server.then(422, "{\"code\":7}", "Content-Type", "application/json");
        HttpResponse<String> response =
                http(PosternClient.key("k")).send(request("/").build(), BodyHandlers.ofString());
        assertEquals("{\"code\":7}", response.body());
        assertTrue(Refusal.of(response).isEmpty());
    }

    @Test
    void followsNoRedirect() throws Exception {
        try (TestServer other = new TestServer()) {
            server.then(302, "", "Location", other.url("/stolen"));
            HttpResponse<Void> response =
                    http(PosternClient.key("k")).send(request("/").build(), BodyHandlers.discarding());
            assertEquals(302, response.statusCode());
            assertTrue(other.received().isEmpty(), "credentials went to another host");
        }
    }

    @Test
    void refusesALibraryThatFollowsRedirects() {
        for (HttpClient.Redirect each : List.of(HttpClient.Redirect.NORMAL, HttpClient.Redirect.ALWAYS)) {
            HttpClient follows = HttpClient.newBuilder().followRedirects(each).build();
            IllegalArgumentException refused = assertThrows(IllegalArgumentException.class,
                    () -> PosternHttpClient.of(PosternClient.key("k").build(), follows));
            assertTrue(refused.getMessage().contains("follows redirects"), refused.getMessage());
        }
    }

    @Test
    void refusesALibraryThatDropsAuthorization() {
        HttpClient asks = HttpClient.newBuilder().authenticator(new Authenticator() { }).build();
        assertThrows(IllegalArgumentException.class,
                () -> PosternHttpClient.of(PosternClient.hmac("k", SECRET).build(), asks));
        assertSame(asks.authenticator().orElseThrow(),
                PosternHttpClient.of(PosternClient.key("k").build(), asks).authenticator().orElseThrow());
    }

    @Test
    void givesTheRequestAsItWasGiven() throws Exception {
        HttpRequest request = request("/orders?a=1").build();
        HttpResponse<String> response = http(PosternClient.key("secret-key").query("appKey"))
                .send(request, BodyHandlers.ofString());
        assertEquals("/orders?a=1&appKey=secret-key", server.only().target);
        assertSame(request, response.request());
        assertEquals(request.uri(), response.uri());
        assertFalse((response + " " + response.request() + response.request().headers()).contains("secret-key"));
    }
}

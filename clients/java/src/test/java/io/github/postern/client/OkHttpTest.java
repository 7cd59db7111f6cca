package io.github.postern.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.io.IOException;
import java.net.ProtocolException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import okhttp3.Authenticator;
import okhttp3.Cache;
import okhttp3.Call;
import okhttp3.Callback;
import okhttp3.MediaType;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.RequestBody;
import okhttp3.Response;
import okio.BufferedSink;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What {@link PosternOkHttp} sends, gives and tries again. */
class OkHttpTest {
    private static final String SECRET = "n3vxQ1o8Zr5tYw2uLk7sDf0gHj4aBc6e";
    private static final MediaType JSON = MediaType.get("application/json; charset=utf-8");

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

    private OkHttpClient http(ClientBuilder<?> builder) {
        return http(builder, new OkHttpClient());
    }

    private OkHttpClient http(ClientBuilder<?> builder, OkHttpClient library) {
        return PosternOkHttp.of(builder.clock(time).build(), library, time);
    }

    private Request.Builder request(String target) {
        return new Request.Builder().url(server.url(target));
    }

    private static RequestBody oneShot(String text) {
        return new RequestBody() {
            private boolean isWritten;

            @Override
            public MediaType contentType() {
                return JSON;
            }

            @Override
            public boolean isOneShot() {
                return true;
            }

            @Override
            public void writeTo(BufferedSink sink) throws IOException {
                if (isWritten) {
                    throw new IOException("written twice");
                }
                isWritten = true;
                sink.writeUtf8(text);
            }
        };
    }

    @Test
    void sendsWhatItSigned() throws Exception {
        HmacBuilder builder = PosternClient.hmac("k", SECRET).signedHeaders("host", "content-type");
        Request request = request("/a'b?q=a'b c").post(RequestBody.create("{}", JSON)).build();
        try (Response response = http(builder).newCall(request).execute()) {
            assertEquals(200, response.code());
        }
        TestServer.Received got = server.only();
        SignedRequest expected = builder.build().sign(RequestToSign.of("POST", server.url(got.target))
                .header("Content-Type", JSON.toString()).body("{}".getBytes()));
        assertEquals(expected.headerList().first("Authorization").orElseThrow(), got.header("Authorization"));
        assertEquals(List.of(JSON.toString()), HeaderList.of(got.headers).all("Content-Type"));
        assertEquals("{}", got.text());
    }

    @Test
    void wrapsJson() throws Exception {
        Request request = request("/").post(RequestBody.create("{\"a\":1}", JSON)).build();
        http(PosternClient.parameterSignature("k", SECRET)).newCall(request).execute().close();
        String sent = server.only().text();
        assertTrue(sent.startsWith("{\"data\":\"{\\\"a\\\":1}\",\"appKey\":\"k\""), sent);
        assertEquals(String.valueOf(server.only().body.length), server.only().header("Content-Length"));
    }

    @Test
    void signsAfterTheInterceptorsOfTheCaller() throws Exception {
        OkHttpClient library = new OkHttpClient.Builder().addInterceptor(chain ->
                chain.proceed(chain.request().newBuilder().header("X-Tenant", "blue").build())).build();
        http(PosternClient.hmac("k", SECRET).signedHeaders("x-tenant"), library)
                .newCall(request("/").build()).execute().close();
        assertTrue(server.only().header("Authorization").contains("headers=\"date request-line x-tenant\""));
    }

    @Test
    void readsABodyThatCanBeWrittenOnce() throws Exception {
        server.refuse(503, "UNAVAILABLE");
        Request request = request("/").post(oneShot("{}")).build();
        try (Response response = http(PosternClient.hmac("k", SECRET)).newCall(request).execute()) {
            assertEquals(200, response.code());
        }
        assertEquals("{}", server.received().get(1).text());
        String first = server.received().get(0).header("Authorization");
        assertNotEquals(first, server.received().get(1).header("Authorization"));
        assertEquals(1, time.waits().size());
    }

    @Test
    void sendsABodyOnceWhenNothingSignsIt() throws Exception {
        server.refuse(503, "UNAVAILABLE");
        Request request = request("/").post(oneShot("{}")).build();
        try (Response response = http(PosternClient.key("k")).newCall(request).execute()) {
            assertEquals("UNAVAILABLE", PosternOkHttp.refusal(response).orElseThrow().code());
            assertTrue(response.body().string().startsWith("{\"code\":"), "the body is not readable any more");
        }
        assertEquals(1, server.received().size());
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void refusesABodyThatIsTooLargeBeforeItIsSent(boolean sizeIsKnown) {
        RequestBody large = new RequestBody() {
            @Override
            public long contentLength() {
                return sizeIsKnown ? 10_485_761 : -1;
            }

            @Override
            public MediaType contentType() {
                return null;
            }

            @Override
            public void writeTo(BufferedSink sink) throws IOException {
                assertFalse(sizeIsKnown, "the body was written");
                sink.write(new byte[10_485_761]);
            }
        };
        NotSentException refused = assertThrows(NotSentException.class, () ->
                http(PosternClient.hmac("k", SECRET)).newCall(request("/").post(large).build()).execute());
        assertEquals(SigningProblem.Code.BODY_TOO_LARGE, refused.problem().code());
        assertTrue(server.received().isEmpty());
    }

    @Test
    void tellsCallbacksOfProblems() throws Exception {
        CompletableFuture<IOException> failure = new CompletableFuture<>();
        Call call = http(PosternClient.parameterSignature("k", SECRET)).newCall(request("/?sign=1").build());
        call.enqueue(new Callback() {
            @Override
            public void onFailure(Call call, IOException e) {
                failure.complete(e);
            }

            @Override
            public void onResponse(Call call, Response response) {
                failure.cancel(true);
            }
        });
        NotSentException refused = (NotSentException) failure.get(10, TimeUnit.SECONDS);
        assertEquals(SigningProblem.Code.RESERVED_PARAMETER, refused.problem().code());
    }

    @Test
    void followsNoRedirect() throws Exception {
        try (TestServer other = new TestServer()) {
            server.then(302, "", "Location", other.url("/stolen"));
            try (Response response = http(PosternClient.key("k")).newCall(request("/").build()).execute()) {
                assertEquals(302, response.code());
            }
            assertTrue(other.received().isEmpty(), "credentials went to another host");
        }
    }

    @Test
    void stopsARedirectThatWasSwitchedOnLater() throws Exception {
        try (TestServer other = new TestServer()) {
            server.then(302, "", "Location", other.url("/stolen"));
            OkHttpClient changed = http(PosternClient.key("k")).newBuilder().followRedirects(true).build();
            assertThrows(ProtocolException.class, () -> changed.newCall(request("/").build()).execute());
            assertTrue(other.received().isEmpty(), "credentials went to another host");
        }
    }

    @Test
    void stopsARequestThatWasChangedAfterItWasSigned() {
        OkHttpClient changed = http(PosternClient.hmac("k", SECRET)).newBuilder().addInterceptor(chain ->
                chain.proceed(chain.request().newBuilder().post(RequestBody.create("x", null)).build())).build();
        assertThrows(ProtocolException.class, () -> changed.newCall(request("/").build()).execute());
        assertTrue(server.received().isEmpty());
    }

    @Test
    void aLostConnectionIsTriedAgainForMethodsThatMayBeRepeated() throws Exception {
        server.breakOff().breakOff();
        Request request = request("/").put(RequestBody.create("{}", JSON)).build();
        try (Response response = http(PosternClient.hmac("k", SECRET)).newCall(request).execute()) {
            assertEquals(200, response.code());
        }
        assertEquals("{}", server.received().get(server.received().size() - 1).text());
    }

    @Test
    void aLostConnectionIsAnErrorForOtherMethods() throws Exception {
        OkHttpClient http = http(PosternClient.hmac("k", SECRET));
        // Over a connection that was used before, OkHttp would send it once more by itself.
        http.newCall(request("/").build()).execute().close();
        server.breakOff().breakOff();
        Request request = request("/").post(RequestBody.create("{}", JSON)).build();
        assertThrows(IOException.class, () -> http.newCall(request).execute());
        assertEquals(2, server.received().size(), "the request may have reached the API twice");
    }

    @Test
    void givesTheRequestAsItWasGiven() throws Exception {
        Request request = request("/orders?a=1").build();
        try (Response response = http(PosternClient.key("secret-key").query("appKey")).newCall(request).execute()) {
            assertEquals("/orders?a=1&appKey=secret-key", server.only().target);
            assertSame(request, response.request());
            assertFalse((response + " " + response.networkResponse() + response.request()).contains("secret-key"));
        }
    }

    @Test
    void writesNoAppKeyIntoTheCache() {
        OkHttpClient caches = new OkHttpClient.Builder().cache(new Cache(new File("target/cache"), 1)).build();
        assertEquals(null, http(PosternClient.key("k").query("appKey"), caches).cache());
        assertSame(caches.cache(), http(PosternClient.key("k"), caches).cache());
    }

    @Test
    void refusesALibraryThatDoesNotFit() {
        OkHttpClient signs = http(PosternClient.key("k"));
        assertThrows(IllegalArgumentException.class, () -> PosternOkHttp.of(PosternClient.key("k").build(), signs));
        OkHttpClient asks = new OkHttpClient.Builder().authenticator(Authenticator.JAVA_NET_AUTHENTICATOR).build();
        assertThrows(IllegalArgumentException.class,
                () -> PosternOkHttp.of(PosternClient.hmac("k", SECRET).build(), asks));
    }

    @Test
    void asksForTokensWithoutTheInterceptorsOfTheCaller() throws Exception {
        try (TestServer tokens = new TestServer()) {
            tokens.then(200, "{\"access_token\":\"t1\",\"token_type\":\"bearer\",\"expires_in\":60}");
            tokens.then(200, "{\"access_token\":\"t2\",\"token_type\":\"bearer\",\"expires_in\":60}");
            OkHttpClient library = new OkHttpClient.Builder().addInterceptor(chain -> {
                assertFalse(chain.request().url().toString().contains("/token"), "it saw the App Secret");
                return chain.proceed(chain.request());
            }).build();
            server.refuse(401, "TOKEN_INVALID");
            OkHttpClient http = http(PosternClient.oauth2("c", SECRET, tokens.url("/token")), library);
            http.newCall(request("/").build()).execute().close();
            assertEquals("Bearer t1", server.received().get(0).header("Authorization"));
            assertEquals("Bearer t2", server.received().get(1).header("Authorization"));
        }
    }

    @Test
    void saysWhyThereIsNoToken() throws Exception {
        try (TestServer tokens = new TestServer()) {
            tokens.then(400, "{\"error\":\"invalid_client\"}");
            OkHttpClient http = http(PosternClient.oauth2("c", SECRET, tokens.url("/token")));
            TokenException refused = assertThrows(TokenException.class,
                    () -> http.newCall(request("/").build()).execute());
            assertEquals("invalid_client", refused.error().orElseThrow());
        }
    }

    @Test
    void cancellingEndsTheWait() throws Exception {
        server.refuse(429, "RATE_LIMITED", "Retry-After", "60");
        Call call = PosternOkHttp.of(PosternClient.key("k").build()).newCall(request("/").build());
        CompletableFuture<Void> cancelled = CompletableFuture.runAsync(() -> {
            while (server.received().isEmpty()) {
                Thread.onSpinWait();
            }
            call.cancel();
        });
        long start = System.nanoTime();
        assertThrows(IOException.class, call::execute);
        assertTrue(System.nanoTime() - start < Duration.ofSeconds(20).toNanos());
        cancelled.get(10, TimeUnit.SECONDS);
    }
}

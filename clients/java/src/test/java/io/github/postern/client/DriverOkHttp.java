package io.github.postern.client;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import okhttp3.MediaType;
import okhttp3.OkHttpClient;
import okhttp3.Protocol;
import okhttp3.Request;
import okhttp3.RequestBody;
import okhttp3.Response;
import okio.BufferedSink;

/** The driver's calls through OkHttp. */
final class DriverOkHttp {
    private static final int TIMEOUT_SECONDS = 60;

    private final Map<String, OkHttpClient> http = new LinkedHashMap<>();

    DriverOkHttp(PosternClient client, DriverTls tls, InetSocketAddress proxy) {
        http.put("1.1", PosternOkHttp.of(client, plain(tls, proxy, List.of(Protocol.HTTP_1_1))));
        http.put("2", PosternOkHttp.of(client, plain(tls, proxy, List.of(Protocol.HTTP_2, Protocol.HTTP_1_1))));
    }

    private static OkHttpClient plain(DriverTls tls, InetSocketAddress proxy, List<Protocol> protocols) {
        OkHttpClient.Builder builder = new OkHttpClient.Builder().protocols(protocols)
                .readTimeout(TIMEOUT_SECONDS, TimeUnit.SECONDS).writeTimeout(TIMEOUT_SECONDS, TimeUnit.SECONDS);
        if (proxy != null) {
            builder.proxy(new Proxy(Proxy.Type.HTTP, proxy));
        }
        if (tls != null) {
            builder.sslSocketFactory(tls.context().getSocketFactory(), tls.trust());
        }
        return builder.build();
    }

    List<Object> clients() {
        List<Object> all = new ArrayList<>();
        http.values().forEach(client -> all.addAll(List.of(client, client.interceptors())));
        return all;
    }

    Map<String, Object> send(String version, Map<?, ?> question, byte[] body, boolean once) throws IOException {
        Request.Builder request = new Request.Builder().url((String) question.get("url"));
        List<Map.Entry<String, String>> headers = Vector.headers(question);
        headers.forEach(header -> request.addHeader(header.getKey(), header.getValue()));
        String method = (String) question.get("method");
        request.method(method, body(method, body, once));
        OkHttpClient sender = http.get(version);
        if (Boolean.TRUE.equals(question.get("follow"))) {
            sender = sender.newBuilder().followRedirects(true).followSslRedirects(true).build();
        }
        try (Response response = sender.newCall(request.build()).execute()) {
            Optional<Refusal> refusal = PosternOkHttp.refusal(response);
            List<Map.Entry<String, String>> answered = new ArrayList<>();
            response.headers().forEach(header -> answered.add(Map.entry(header.getFirst(), header.getSecond())));
            return DriverClient.answer(response.code(), response.protocol() == Protocol.HTTP_2 ? "2" : "1.1", answered,
                    response.body().bytes(), refusal);
        }
    }

    private static RequestBody body(String method, byte[] body, boolean once) {
        boolean needsBody = List.of("POST", "PUT", "PATCH").contains(method);
        if (body.length == 0 && !once) {
            return needsBody ? RequestBody.create(body, null) : null;
        }
        // The header of the question is sent as it is, so the body says no type of its own.
        return once ? new OneShot(OneStream.of(body)) : RequestBody.create(body, null);
    }

    private static final class OneShot extends RequestBody {
        private final Supplier<InputStream> stream;

        OneShot(Supplier<InputStream> stream) {
            this.stream = stream;
        }

        @Override
        public boolean isOneShot() {
            return true;
        }

        @Override
        public MediaType contentType() {
            return null;
        }

        @Override
        public void writeTo(BufferedSink sink) throws IOException {
            try (InputStream bytes = stream.get()) {
                sink.write(bytes.readAllBytes());
            }
        }
    }
}

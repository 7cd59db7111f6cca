package io.github.postern.client;

import java.net.InetSocketAddress;
import java.net.ProxySelector;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpClient.Redirect;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/** A client of the driver, with both adapters over both versions of HTTP. */
final class DriverClient {
    private final ClientBuilder<?> builder;
    private final SigningKey key;
    private final PosternClient client;
    private final Map<String, PosternHttpClient> http = new LinkedHashMap<>();
    private final DriverOkHttp okHttp;

    DriverClient(Map<?, ?> settings) throws Exception {
        builder = Vector.builder(settings);
        key = KeyVector.key(settings);
        client = builder.build();
        DriverTls tls = settings.get("ca") == null ? null : new DriverTls(Path.of((String) settings.get("ca")));
        for (HttpClient.Version version : HttpClient.Version.values()) {
            HttpClient.Builder plain = HttpClient.newBuilder().version(version);
            if (tls != null) {
                plain.sslContext(tls.context());
            }
            if (settings.get("proxy") != null) {
                plain.proxy(ProxySelector.of(address(settings)));
            }
            http.put(name(version), PosternHttpClient.of(client, plain.build()));
        }
        okHttp = new DriverOkHttp(client, tls, settings.get("proxy") == null ? null : address(settings));
    }

    private static InetSocketAddress address(Map<?, ?> settings) {
        URI proxy = URI.create((String) settings.get("proxy"));
        return new InetSocketAddress(proxy.getHost(), proxy.getPort());
    }

    private static String name(HttpClient.Version version) {
        return version == HttpClient.Version.HTTP_2 ? "2" : "1.1";
    }

    Optional<SignedRequest> signAgain(Map<?, ?> question, String accepted) {
        return client.signAgain(Vector.request(question), accepted);
    }

    String assertion() {
        return client.assertion();
    }

    SignedRequest sign(Map<?, ?> question) throws Exception {
        RequestToSign request = Vector.request(question);
        if (client.tokens().isEmpty()) {
            return client.sign(request);
        }
        AccessToken token = client.tokens().get().get(http.get("1.1").tokenTransport()).get();
        return client.attempt(request, token, client.signer()).request();
    }

    Map<String, Object> send(String adapter, String version, Map<?, ?> question) throws Exception {
        byte[] body = Vector.body((Map<?, ?>) question.get("body"));
        boolean once = question.get("body") != null
                && Boolean.TRUE.equals(((Map<?, ?>) question.get("body")).get("once"));
        if (adapter.equals("okhttp")) {
            return okHttp.send(version, question, body, once);
        }
        PosternHttpClient sender = http.get(version);
        if (Boolean.TRUE.equals(question.get("follow"))) {
            sender = PosternHttpClient.of(client, HttpClient.newBuilder().followRedirects(Redirect.ALWAYS).build());
        }
        HttpResponse<byte[]> response = sender.send(request(question, body, once), BodyHandlers.ofByteArray());
        List<Map.Entry<String, String>> headers = new ArrayList<>(HeaderList.of(response.headers().map()).entries());
        headers.removeIf(header -> header.getKey().startsWith(":"));
        return answer(response.statusCode(), name(response.version()), headers, response.body(), Refusal.of(response));
    }

    private static HttpRequest request(Map<?, ?> question, byte[] body, boolean once) {
        BodyPublisher publisher = once ? BodyPublishers.ofInputStream(OneStream.of(body))
                : body.length == 0 ? BodyPublishers.noBody() : BodyPublishers.ofByteArray(body);
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create((String) question.get("url")))
                .method((String) question.get("method"), publisher);
        Vector.headers(question).forEach(header -> request.header(header.getKey(), header.getValue()));
        return request.build();
    }

    static Map<String, Object> answer(int status, String version, List<Map.Entry<String, String>> headers, byte[] body,
            Optional<Refusal> refusal) {
        Map<String, Object> answer = new LinkedHashMap<>();
        answer.put("response", Map.of("status", status, "http", version, "headers", Driver.pairs(headers),
                "body", Base64.getEncoder().encodeToString(body)));
        answer.put("refusal", refusal.map(DriverClient::refusal).orElse(null));
        return answer;
    }

    private static Map<String, Object> refusal(Refusal refusal) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("status", refusal.status());
        json.put("code", refusal.code());
        json.put("message", refusal.message());
        json.put("requestId", refusal.requestId().orElse(null));
        OptionalLong wait = refusal.retryAfterSeconds();
        json.put("retryAfter", wait.isPresent() ? wait.getAsLong() : null);
        json.put("stringToSign", refusal.stringToSign().orElse(null));
        json.put("acceptedBefore", refusal.isAcceptedBefore());
        return json;
    }

    String print() throws Exception {
        RequestToSign request = RequestToSign.of("GET", "https://api.example.com/orders");
        List<Object> all = new ArrayList<>(List.of(builder, client, client.signer(), http, okHttp.clients(), request));
        client.tokens().ifPresent(source -> all.addAll(List.of(source, source.credential())));
        if (key != null) {
            all.add(key);
        }
        if (client.tokens().isEmpty()) {
            all.add(client.sign(request));
        } else {
            all.add(new Secret("a"));
        }
        return String.join("\n", all.stream().map(String::valueOf).toArray(String[]::new));
    }
}

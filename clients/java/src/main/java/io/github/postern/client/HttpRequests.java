package io.github.postern.client;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.time.Duration;
import java.util.Map;

/** Turns requests of {@code java.net.http} into what is signed, and back. */
final class HttpRequests {
    private static final Class<?> STREAM = BodyPublishers.fromPublisher(BodyPublishers.noBody()).getClass();

    private HttpRequests() {
    }

    /** With the URL as the library sends it over every version of HTTP. */
    static RequestToSign toSign(HttpRequest request, byte[] body) {
        WireUrl url = WireUrl.parse(request.uri().toString());
        // Over HTTP/1.1 the library leaves out a "?" with nothing after it, over HTTP/2 it does not.
        String sent = (url.queryText().isEmpty() ? url.withQuery(null) : url).text();
        return RequestToSign.of(request.method(), sent, HeaderList.of(request.headers().map()), body);
    }

    /** The signed request, with all other settings of the caller's. */
    static HttpRequest toSend(HttpRequest request, SignedRequest signed, boolean isBodySigned) {
        HttpRequest.Builder builder = builder(signed.wireUrl()).expectContinue(request.expectContinue());
        signed.headers().forEach(header -> builder.header(header.getKey(), header.getValue()));
        request.timeout().ifPresent(builder::timeout);
        if (signed.wireUrl().isSecure()) {
            request.version().ifPresent(builder::version);
        }
        return withMethod(builder, request, signed, isBodySigned).build();
    }

    private static HttpRequest.Builder builder(WireUrl url) {
        HttpRequest.Builder builder = HttpRequest.newBuilder(URI.create(url.text()));
        // Over plain HTTP the library would offer an upgrade to HTTP/2, which the gateway refuses on signed requests.
        return url.isSecure() ? builder : builder.version(HttpClient.Version.HTTP_1_1);
    }

    private static HttpRequest.Builder withMethod(HttpRequest.Builder builder, HttpRequest request,
            SignedRequest signed, boolean isBodySigned) {
        BodyPublisher given = request.bodyPublisher().orElse(null);
        if (given == null && request.method().equals("GET")) {
            return builder.GET();
        }
        boolean isEmpty = isBodySigned ? signed.bytes().length == 0 : given == null;
        if (isEmpty) {
            return builder.method(request.method(), BodyPublishers.noBody());
        }
        return builder.method(request.method(), isBodySigned ? BodyPublishers.ofByteArray(signed.bytes()) : given);
    }

    /** A request for a token, with its body. */
    static HttpRequest tokenRequest(RequestToSign question, Duration timeout) {
        HttpRequest.Builder builder = builder(WireUrl.parse(question.url())).timeout(timeout)
                .method(question.method(), BodyPublishers.ofByteArray(question.bytes()));
        for (Map.Entry<String, String> header : question.headers()) {
            builder.header(header.getKey(), header.getValue());
        }
        return builder.build();
    }

    /** False for streams: what has no length, or comes from another publisher, may be readable only once. */
    static boolean isBodyRepeatable(HttpRequest request) {
        return request.bodyPublisher()
                .map(publisher -> publisher.contentLength() >= 0 && publisher.getClass() != STREAM)
                .orElse(true);
    }
}

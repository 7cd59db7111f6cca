package io.github.postern.client;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.Optional;
import javax.net.ssl.SSLSession;

/** An answer as the caller gets it: with the request as it was given, since the signed one may hold secrets. */
final class PosternResponse<T> implements HttpResponse<T> {
    private final HttpRequest request;
    private final HttpResponse<?> answer;
    private final T body;
    private final Refusal refusal;

    PosternResponse(HttpRequest request, HttpResponse<?> answer, T body, Refusal refusal) {
        this.request = request;
        this.answer = answer;
        this.body = body;
        this.refusal = refusal;
    }

    Optional<Refusal> refusal() {
        return Optional.ofNullable(refusal);
    }

    @Override
    public int statusCode() {
        return answer.statusCode();
    }

    @Override
    public HttpRequest request() {
        return request;
    }

    /** Empty, as no redirect is followed. */
    @Override
    public Optional<HttpResponse<T>> previousResponse() {
        return Optional.empty();
    }

    @Override
    public HttpHeaders headers() {
        return answer.headers();
    }

    @Override
    public T body() {
        return body;
    }

    @Override
    public Optional<SSLSession> sslSession() {
        return answer.sslSession();
    }

    @Override
    public URI uri() {
        return request.uri();
    }

    @Override
    public HttpClient.Version version() {
        return answer.version();
    }

    @Override
    public String toString() {
        return "(" + request.method() + " " + request.uri() + ") " + statusCode();
    }
}

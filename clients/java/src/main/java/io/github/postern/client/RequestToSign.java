package io.github.postern.client;

import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * A request of any HTTP library, as it would be sent without a signature. Immutable: each method gives another one.
 *
 * <p>Sign it with {@link PosternClient#sign}. For {@code java.net.http} and OkHttp there are {@link PosternHttpClient}
 * and {@link PosternOkHttp}, which also send it.
 */
public final class RequestToSign {
    private static final byte[] NO_BODY = {};

    private final String method;
    private final String url;
    private final HeaderList headers;
    private final byte[] body;

    private RequestToSign(String method, String url, HeaderList headers, byte[] body) {
        this.method = method;
        this.url = url;
        this.headers = headers;
        this.body = body;
    }

    /**
     * A request without headers and body.
     *
     * @param method the HTTP method, such as {@code GET}
     * @param url the absolute URL, percent-encoded as it is to be sent
     * @return the request
     */
    public static RequestToSign of(String method, String url) {
        if (!HeaderNames.isHeaderName(method)) {
            throw new IllegalArgumentException("not an HTTP method");
        }
        return new RequestToSign(method, Objects.requireNonNull(url, "url"), HeaderList.EMPTY, NO_BODY);
    }

    static RequestToSign of(String method, String url, HeaderList headers, byte[] body) {
        return new RequestToSign(method, url, headers, body);
    }

    /**
     * With one more header.
     *
     * @param name the name, in any case
     * @param value the value
     * @return the request with the header
     */
    public RequestToSign header(String name, String value) {
        return new RequestToSign(method, url, headers.plus(name, value), body);
    }

    /**
     * With this body.
     *
     * @param bytes the bytes that are to be sent; copied
     * @return the request with the body
     */
    public RequestToSign body(byte[] bytes) {
        return new RequestToSign(method, url, headers, bytes.clone());
    }

    /**
     * The HTTP method.
     *
     * @return such as {@code GET}
     */
    public String method() {
        return method;
    }

    /**
     * The absolute URL.
     *
     * @return as it was given
     */
    public String url() {
        return url;
    }

    /**
     * The headers, in their order.
     *
     * @return names and values, immutable
     */
    public List<Map.Entry<String, String>> headers() {
        return headers.entries();
    }

    HeaderList headerList() {
        return headers;
    }

    /** Not a copy. */
    byte[] bytes() {
        return body;
    }

    /** The method and the names of the headers. */
    @Override
    public String toString() {
        return "RequestToSign{" + method + ", headers=" + headers + ", " + body.length + " bytes}";
    }
}

package io.github.postern.client;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A request with its signature, exactly as it is to be sent. Its {@code toString} shows no value of a header. */
public final class SignedRequest {
    private final String method;
    private final WireUrl url;
    private final HeaderList headers;
    private final byte[] body;
    private final String stringToSign;

    SignedRequest(String method, WireUrl url, HeaderList headers, byte[] body, String stringToSign) {
        this.method = method;
        this.url = url;
        this.headers = headers;
        this.body = body;
        this.stringToSign = stringToSign;
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
     * The URL to call, with parameters that the client added. For a key in the query it holds the App Key.
     *
     * @return absolute, without a fragment
     */
    public String url() {
        return url.text();
    }

    /**
     * Path and query, byte for byte as they must be sent.
     *
     * @return such as {@code /orders?page=2}
     */
    public String target() {
        return url.target();
    }

    /**
     * All headers to send, those of the caller among them.
     *
     * @return names and values in their order, immutable
     */
    public List<Map.Entry<String, String>> headers() {
        return headers.entries();
    }

    /**
     * The body to send, which for a JSON wrapper is not the caller's.
     *
     * @return a copy of the bytes, empty when there is no body
     */
    public byte[] body() {
        return body.clone();
    }

    /**
     * The text that was signed, to compare with the {@code stringToSign} of a refusal. For a parameter signature it
     * ends before the App Secret.
     *
     * @return empty for key and OAuth2, which sign nothing
     */
    public Optional<String> stringToSign() {
        return Optional.ofNullable(stringToSign);
    }

    HeaderList headerList() {
        return headers;
    }

    WireUrl wireUrl() {
        return url;
    }

    /** Not a copy. */
    byte[] bytes() {
        return body;
    }

    /** Method, URL without query, and the names of the headers. */
    @Override
    public String toString() {
        return "SignedRequest{" + method + " " + url + ", headers=" + headers + ", "
                + body.length + " bytes}";
    }
}

package io.github.postern.client;

import static io.github.postern.client.SigningProblem.Code.HEADER_NOT_SIGNABLE;
import static io.github.postern.client.SigningProblem.Code.TARGET_NOT_SIGNABLE;

import java.util.List;
import java.util.Locale;

/** The values of what a message signature covers, as they are sent (RFC 9421 §2). */
final class SignedParts {
    private final String method;
    private final WireUrl url;
    private final HeaderList headers;
    private final int bodyLength;
    private final String host;

    /** Throws {@code TARGET_NOT_SIGNABLE} for a host that cannot be signed. */
    SignedParts(String method, WireUrl url, HeaderList headers, int bodyLength) {
        this.method = method;
        this.url = url;
        this.headers = headers;
        this.bodyLength = bodyLength;
        this.host = headers.first("host").map(HeaderList::trimmed).orElse(url.authority());
        if (host.isEmpty() || !host.chars().allMatch(SignedParts::isOfHost)) {
            throw new SigningProblem(TARGET_NOT_SIGNABLE, "The host holds a character that is sent in another way.");
        }
    }

    private static boolean isOfHost(int character) {
        return character < 0x7F && (Character.isLetterOrDigit(character) || "-._~:[]".indexOf(character) >= 0);
    }

    boolean hasBody() {
        return bodyLength > 0;
    }

    /**
     * The value of a component.
     *
     * @throws SigningProblem {@code HEADER_NOT_SIGNABLE} when there is none, or it cannot be signed
     */
    String value(String name) {
        switch (name) {
            case "@method":
                return method;
            case "@authority":
                return authority();
            case "@scheme":
                return url.scheme();
            case "@target-uri":
                return url.scheme() + "://" + authority() + url.target();
            case "@request-target":
                return url.target();
            case "@path":
                return url.path();
            case "@query":
                return "?" + url.queryText();
            case "host":
                return host;
            default:
                return field(name);
        }
    }

    private String authority() {
        return url.withoutOwnPort(host).toLowerCase(Locale.ROOT);
    }

    private String field(String name) {
        if (name.equals("signature") || name.equals("signature-input") || !HeaderNames.isSignable(name)) {
            throw unsignable(name, HeaderNames.isHeaderName(name)
                    ? "is one that proxies or the gateway change" : "is not the name of a header");
        }
        if (name.equals("content-length") && hasBody()) {
            return String.valueOf(bodyLength);
        }
        List<String> values = headers.all(name);
        if (values.size() != 1) {
            throw unsignable(name, values.isEmpty() ? "is not in the request" : "is in the request more than once");
        }
        String value = values.get(0);
        for (int at = 0; at < value.length(); at++) {
            char character = value.charAt(at);
            if ((character < 0x20 || character > 0x7E) && character != '\t') {
                throw unsignable(name, "has a value with characters beyond printable ASCII");
            }
        }
        return HeaderList.trimmed(value);
    }

    private static SigningProblem unsignable(String name, String reason) {
        String shown = HeaderNames.isHeaderName(name) ? " " + name : "";
        return new SigningProblem(HEADER_NOT_SIGNABLE, "The covered header" + shown + " " + reason + ".");
    }
}

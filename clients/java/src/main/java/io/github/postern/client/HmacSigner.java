package io.github.postern.client;

import static io.github.postern.client.SigningProblem.Code.BODY_TOO_LARGE;
import static io.github.postern.client.SigningProblem.Code.HEADER_NOT_SIGNABLE;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** HMAC over date, request line, digest of the body, and chosen headers. */
final class HmacSigner implements Signer {
    /** Headers that this client sets itself, whose names need no second look. */
    private static final Set<String> OWN = Set.of("date", "digest", "x-nonce");

    private final String appKey;
    private final Secret appSecret;
    private final HmacAlgorithm algorithm;
    private final List<String> signedHeaders;
    private final boolean nonce;
    private final List<String> namesWithBody;
    private final List<String> namesWithoutBody;

    HmacSigner(String appKey, Secret appSecret, HmacAlgorithm algorithm, List<String> signedHeaders, boolean nonce) {
        this.appKey = appKey;
        this.appSecret = appSecret;
        this.algorithm = algorithm;
        this.signedHeaders = signedHeaders;
        this.nonce = nonce;
        this.namesWithBody = names(true);
        this.namesWithoutBody = names(false);
    }

    @Override
    public boolean readsBody() {
        return true;
    }

    @Override
    public SignedRequest sign(RequestToSign request, Stamp stamp) {
        WireUrl url = WireUrl.parse(request.url());
        byte[] body = request.bytes();
        if (body.length > LARGEST_BODY) {
            throw new SigningProblem(BODY_TOO_LARGE, "The body has more than " + LARGEST_BODY + " bytes.");
        }
        HeaderList headers = request.headerList().with("Date", HttpDates.write(stamp.now()));
        if (body.length > 0) {
            byte[] hash = Bytes.digest("SHA-256").digest(body);
            headers = headers.with("Digest", "SHA-256=" + Base64.getEncoder().encodeToString(hash));
        }
        if (nonce) {
            headers = headers.with("X-Nonce", stamp.nonce());
        }
        List<String> names = body.length > 0 ? namesWithBody : namesWithoutBody;
        String text = stringToSign(request.method(), url, headers, names);
        byte[] signature = algorithm.sign(appSecret, text.getBytes(StandardCharsets.UTF_8));
        headers = headers.with("Authorization", "hmac appkey=\"" + appKey + "\", algorithm=\"" + algorithm.wireName()
                + "\", headers=\"" + String.join(" ", names)
                + "\", signature=\"" + Base64.getEncoder().encodeToString(signature) + "\"");
        return new SignedRequest(request.method(), url, headers, body, text);
    }

    /** What is signed, in its order and each once. */
    private List<String> names(boolean hasBody) {
        Set<String> names = new LinkedHashSet<>(List.of("date", "request-line"));
        if (hasBody) {
            names.add("digest");
        }
        signedHeaders.forEach(name -> names.add(name.toLowerCase(Locale.ROOT)));
        if (nonce) {
            names.add("x-nonce");
        }
        return List.copyOf(names);
    }

    private static String stringToSign(String method, WireUrl url, HeaderList headers, List<String> names) {
        StringBuilder text = new StringBuilder(256);
        for (String name : names) {
            text.append(text.length() == 0 ? "" : "\n");
            if (name.equals("request-line")) {
                text.append(method).append(' ').append(url.target()).append(" HTTP/1.1");
            } else {
                text.append(name).append(": ").append(value(name, url, headers));
            }
        }
        return text.toString();
    }

    private static String value(String name, WireUrl url, HeaderList headers) {
        if (!OWN.contains(name) && !HeaderNames.isSignable(name)) {
            throw unsignable(name, HeaderNames.isHeaderName(name)
                    ? "is one that proxies or the gateway change" : "is not the name of a header");
        }
        List<String> values = headers.all(name);
        if (values.size() > 1) {
            throw unsignable(name, "is in the request more than once");
        }
        if (values.isEmpty() && !name.equals("host")) {
            throw unsignable(name, "is not in the request");
        }
        String value = values.isEmpty() ? url.authority() : values.get(0);
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
        return new SigningProblem(HEADER_NOT_SIGNABLE, "The signed header" + shown + " " + reason + ".");
    }

    @Override
    public Set<String> headersSet() {
        return Set.of("Date", "Digest", "X-Nonce", "Authorization");
    }

    @Override
    public String toString() {
        return "method=hmac, appKey=" + appKey + ", appSecret=" + appSecret + ", algorithm=" + algorithm.wireName()
                + ", signedHeaders=" + signedHeaders + ", nonce=" + nonce;
    }
}

package io.github.postern.client;

import static io.github.postern.client.SigningProblem.Code.RESERVED_PARAMETER;

import java.nio.charset.StandardCharsets;
import java.util.Set;

/** Sends the App Key as a header or a query parameter. */
final class KeySigner implements Signer {
    private final Secret appKey;
    private final String header;
    private final String parameter;

    private KeySigner(Secret appKey, String header, String parameter) {
        this.appKey = appKey;
        this.header = header;
        this.parameter = parameter;
    }

    static KeySigner inHeader(String appKey, String name) {
        return new KeySigner(new Secret(appKey), name, null);
    }

    static KeySigner inQuery(String appKey, String name) {
        return new KeySigner(new Secret(appKey), null, name);
    }

    /** Whether the URL that is sent holds the App Key. */
    boolean isInQuery() {
        return parameter != null;
    }

    @Override
    public boolean readsBody() {
        return false;
    }

    @Override
    public SignedRequest sign(RequestToSign request, Stamp stamp) {
        WireUrl url = WireUrl.parse(request.url());
        HeaderList headers = request.headerList();
        if (isInQuery()) {
            url = url.withQuery(extended(url.queryText()));
        } else {
            headers = headers.with(header, appKey.reveal());
        }
        return new SignedRequest(request.method(), url, headers, request.bytes(), null);
    }

    private String extended(String query) {
        for (FormParameter each : FormParameter.read(query.getBytes(StandardCharsets.US_ASCII))) {
            // A name that cannot be decoded equals nothing for the gateway.
            if (each.decoded().filter(plain -> plain.isNamed(parameter)).isPresent()) {
                throw new SigningProblem(RESERVED_PARAMETER, "The query already has the parameter of the App Key.");
            }
        }
        String joint = query.isEmpty() || query.endsWith("&") ? "" : "&";
        return query + joint + EncodeParameters.encode(parameter) + "=" + appKey.reveal();
    }

    @Override
    public Set<String> headersSet() {
        return isInQuery() ? Set.of() : Set.of(header);
    }

    @Override
    public String toString() {
        return "method=key, appKey=" + appKey + (isInQuery() ? ", query=" + parameter : ", header=" + header);
    }
}

package io.github.postern.client;

import java.util.Set;

/** Sends an access token. */
final class BearerSigner implements Signer {
    private final String printed;

    /** With the settings for print. */
    BearerSigner(String printed) {
        this.printed = printed;
    }

    @Override
    public boolean readsBody() {
        return false;
    }

    @Override
    public SignedRequest sign(RequestToSign request, Stamp stamp) {
        WireUrl url = WireUrl.parse(request.url());
        HeaderList headers = request.headerList().with("Authorization", "Bearer " + stamp.token().reveal());
        return new SignedRequest(request.method(), url, headers, request.bytes(), null);
    }

    @Override
    public Set<String> headersSet() {
        return Set.of("Authorization");
    }

    @Override
    public String toString() {
        return printed;
    }
}

package io.github.postern.client;

import static io.github.postern.client.SigningProblem.Code.INVALID_CREDENTIAL;

/** Settings of a client that sends its App Key, by default in the header {@code X-App-Key}. */
public final class KeyBuilder extends ClientBuilder<KeyBuilder> {
    private final Secret appKey;
    private String header = "X-App-Key";
    private String parameter;

    KeyBuilder(String appKey) {
        this.appKey = new Secret(checkAppKey(appKey));
    }

    /**
     * Sends the App Key in another header.
     *
     * @param name the name of the header
     * @return this builder
     * @throws SigningProblem {@code INVALID_CREDENTIAL} when this header cannot carry an App Key
     */
    public KeyBuilder header(String name) {
        if (name == null || !HeaderNames.isHeaderName(name) || HeaderNames.isOfTheConnection(name)) {
            throw new SigningProblem(INVALID_CREDENTIAL, "The header for the App Key cannot carry one.");
        }
        header = name;
        parameter = null;
        return this;
    }

    /**
     * Sends the App Key as a query parameter. Logs of proxies may show it, so use a header where you can.
     *
     * @param name the name of the parameter
     * @return this builder
     * @throws SigningProblem {@code INVALID_CREDENTIAL} when the name is empty
     */
    public KeyBuilder query(String name) {
        if (name == null || name.isEmpty()) {
            throw new SigningProblem(INVALID_CREDENTIAL, "The query parameter for the App Key has no name.");
        }
        parameter = name;
        return this;
    }

    @Override
    KeyBuilder self() {
        return this;
    }

    @Override
    public PosternClient build() {
        Signer signer = parameter == null
                ? KeySigner.inHeader(appKey.reveal(), header)
                : KeySigner.inQuery(appKey.reveal(), parameter);
        return new PosternClient(signer, null, this);
    }
}

package io.github.postern.client;

import static io.github.postern.client.SigningProblem.Code.INVALID_CREDENTIAL;

import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Settings of a client that signs HTTP messages with a private key (RFC 9421). */
public final class MessageSignatureBuilder extends ClientBuilder<MessageSignatureBuilder> {
    private final String appKey;
    private final SigningKey privateKey;
    private SignatureAlgorithm algorithm;
    private List<String> coverAlso = List.of();
    private String tag;
    private String label = "sig1";
    private boolean nonce = true;

    MessageSignatureBuilder(String appKey, SigningKey privateKey) {
        this.appKey = checkKeyId(appKey);
        this.privateKey = checkPrivateKey(privateKey);
    }

    /**
     * Signs with another algorithm of an RSA key than RSA-PSS, where the operator allows it.
     *
     * @param chosen the algorithm
     * @return this builder
     */
    public MessageSignatureBuilder algorithm(SignatureAlgorithm chosen) {
        algorithm = Objects.requireNonNull(chosen, "chosen");
        return this;
    }

    /**
     * Covers more than method, address and body. {@code content-type} is a good one: it is left out of requests that
     * have none.
     *
     * @param names headers in any case, {@code @target-uri}, {@code @scheme} or {@code @request-target}
     * @return this builder
     */
    public MessageSignatureBuilder coverAlso(String... names) {
        coverAlso = Stream.of(names).map(name -> name.toLowerCase(Locale.ROOT))
                .collect(Collectors.toUnmodifiableList());
        return this;
    }

    /**
     * Gives every signature a tag, which the operator of the API may ask for. None by default.
     *
     * @param text printable ASCII without {@code "} and {@code \\}
     * @return this builder
     * @throws SigningProblem {@code INVALID_CREDENTIAL} when it is something else
     */
    public MessageSignatureBuilder tag(String text) {
        if (text == null || !AcceptSignature.isParameter(text)) {
            throw new SigningProblem(INVALID_CREDENTIAL,
                    "The tag is empty, or not printable ASCII without \" and \\.");
        }
        tag = text;
        return this;
    }

    /**
     * Gives signatures another label than {@code sig1}. The gateway does not look at it.
     *
     * @param text a lower-case letter or {@code *}, then also digits, {@code _}, {@code -} and {@code .}
     * @return this builder
     * @throws SigningProblem {@code INVALID_CREDENTIAL} when it is something else
     */
    public MessageSignatureBuilder label(String text) {
        if (text == null || !StructuredField.isKey(text)) {
            throw new SigningProblem(INVALID_CREDENTIAL, "The label is not a key of a structured field.");
        }
        label = text;
        return this;
    }

    /**
     * Whether every signature has a random nonce, for endpoints with replay protection. On by default.
     *
     * @param wanted false leaves it out
     * @return this builder
     */
    public MessageSignatureBuilder nonce(boolean wanted) {
        nonce = wanted;
        return this;
    }

    @Override
    MessageSignatureBuilder self() {
        return this;
    }

    /**
     * Makes the client.
     *
     * @throws SigningProblem {@code INVALID_CREDENTIAL} when the key does not have the algorithm
     */
    @Override
    public PosternClient build() {
        SignatureAlgorithm used = privateKey.algorithm(algorithm, SignatureAlgorithm.OF_MESSAGES);
        return new PosternClient(new MessageSigner(appKey, privateKey, used, coverAlso, tag, label, nonce), null, this);
    }
}

package io.github.postern.client;

/** Who asks for access tokens: what a question to a token URL proves it with. */
interface TokenCredential {
    /**
     * The question to a token URL, as it is: another one each time where it holds an assertion.
     *
     * @param tokenUrl where it goes
     * @param correction seconds that are added to the machine's clock
     * @throws SigningProblem when the private key gives no signature
     */
    RequestToSign question(String tokenUrl, long correction);

    /** The correction of the clock that the next question has. */
    default long correction() {
        return 0;
    }

    /** Whether another question may do better than one that was refused with this answer. */
    default boolean learn(HeaderList answer, long correction) {
        return false;
    }

    /** A question without a body, but for what proves who asks. */
    static RequestToSign start(String tokenUrl) {
        return RequestToSign.of("POST", tokenUrl)
                .header("Content-Type", "application/x-www-form-urlencoded")
                .header("Accept", "application/json");
    }
}

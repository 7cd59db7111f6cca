package io.github.postern.client;

import static io.github.postern.client.SigningProblem.Code.INVALID_CREDENTIAL;

import java.time.Clock;
import java.time.Duration;
import java.util.Objects;
import java.util.function.Supplier;
import java.util.regex.Pattern;

/**
 * Settings that all methods have.
 *
 * @param <B> the builder itself
 */
public abstract class ClientBuilder<B extends ClientBuilder<B>> {
    private static final Pattern APP_KEY = Pattern.compile("[A-Za-z0-9._-]{1,512}");

    private static final int LONGEST_KEY_ID = 512;

    int retries = 2;
    Duration clockCorrection = Duration.ZERO;
    Clock clock = Clock.systemUTC();
    Supplier<String> nonces = Nonces::next;

    ClientBuilder() {
    }

    abstract B self();

    /**
     * Makes the client.
     *
     * @return a client with these settings
     */
    public abstract PosternClient build();

    /**
     * How often a call is tried again besides the first time. 2 by default; 0 switches it off.
     *
     * @param times not negative
     * @return this builder
     * @throws SigningProblem {@code INVALID_CREDENTIAL} when it is negative
     */
    public B retries(int times) {
        if (times < 0) {
            throw new SigningProblem(INVALID_CREDENTIAL, "The number of retries is negative.");
        }
        retries = times;
        return self();
    }

    /**
     * Lets a refusal {@code REQUEST_EXPIRED} correct this client's clock by the {@code Date} of that answer. Off by
     * default. Signed times protect against replays, so allow no more than the machine needs.
     *
     * @param largest the largest difference that is believed, in whole seconds; zero switches it off
     * @return this builder
     * @throws SigningProblem {@code INVALID_CREDENTIAL} when it is negative
     */
    public B clockCorrection(Duration largest) {
        if (largest.isNegative()) {
            throw new SigningProblem(INVALID_CREDENTIAL, "The clock correction is negative.");
        }
        clockCorrection = largest;
        return self();
    }

    /**
     * The clock that signed times come from. The machine's by default.
     *
     * @param source a clock, such as {@link Clock#fixed} in a test
     * @return this builder
     */
    public B clock(Clock source) {
        clock = Objects.requireNonNull(source, "source");
        return self();
    }

    /** Where nonces come from, for tests. */
    B nonces(Supplier<String> source) {
        nonces = source;
        return self();
    }

    ClientClock clientClock() {
        return new ClientClock(clock, clockCorrection);
    }

    /** The App Key of a method with a private key. */
    static String checkKeyId(String appKey) {
        if (appKey == null || appKey.length() > LONGEST_KEY_ID || !AcceptSignature.isParameter(appKey)) {
            throw new SigningProblem(INVALID_CREDENTIAL,
                    "The App Key is not 1 to 512 characters of printable ASCII without \" and \\.");
        }
        return appKey;
    }

    static SigningKey checkPrivateKey(SigningKey key) {
        if (key == null) {
            throw new SigningProblem(INVALID_CREDENTIAL, "There is no private key.");
        }
        return key;
    }

    static String checkTokenUrl(String url) {
        try {
            WireUrl.parse(url == null ? "" : url);
            return url;
        } catch (SigningProblem e) {
            throw new SigningProblem(INVALID_CREDENTIAL, "The token URL is not absolute, or not percent-encoded.");
        }
    }

    static String checkAppKey(String appKey) {
        if (appKey == null || !APP_KEY.matcher(appKey).matches()) {
            throw new SigningProblem(INVALID_CREDENTIAL,
                    "The App Key is not 1 to 512 letters, digits, dots, underscores or hyphens.");
        }
        return appKey;
    }

    /** The name of the class: settings may be secret. */
    @Override
    public String toString() {
        return getClass().getSimpleName();
    }
}

package io.github.postern.client;

import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;

/** Decides for one call whether and when it is tried again. Not for use by several threads at once. */
final class Retries {
    private static final Set<String> REPEATABLE_METHODS = Set.of("GET", "HEAD", "OPTIONS", "PUT", "DELETE");
    /** Not {@code GATEWAY_ERROR}: such a request may have reached the API. */
    private static final Set<String> NOT_DECIDED = Set.of("STORE_UNAVAILABLE", "LIMITER_UNAVAILABLE", "UNAVAILABLE");
    /** What the signature itself may be the reason of. */
    private static final Set<String> NOT_SIGNED_RIGHT =
            Set.of("CREDENTIALS_MISSING", "CREDENTIALS_MALFORMED", "AUTHENTICATION_FAILED");
    private static final long LONGEST_WAIT_SECONDS = 60;
    private static final double CHANCE = 0.2;

    private final PosternClient client;
    private final boolean isBodyRepeatable;
    private final boolean isMethodRepeatable;
    private int left;
    private int backoffs;
    private boolean renewedToken;
    private boolean correctedClock;
    private boolean obeyed;
    private Signer signer;

    Retries(PosternClient client, String method, boolean isBodyRepeatable) {
        this.client = client;
        this.isBodyRepeatable = isBodyRepeatable;
        this.isMethodRepeatable = REPEATABLE_METHODS.contains(method);
        this.left = client.retries();
        this.signer = client.signer();
    }

    /** What signs the next attempt: the client's, until the gateway asks for another signature. */
    Signer signer() {
        return signer;
    }

    /** How long to wait before the next attempt; nothing when the refusal is the answer. */
    Optional<Duration> after(Refusal refusal, HeaderList headers, Attempt attempt) {
        // Learned and dropped also when this call ends: the next one is better off.
        boolean clockChanged = is(refusal, 401, "REQUEST_EXPIRED")
                && client.clock().learn(headers, attempt.correction());
        boolean tokenDropped = is(refusal, 401, "TOKEN_INVALID") && client.drop(attempt.token());
        if (!isBodyRepeatable) {
            return Optional.empty();
        }
        if (clockChanged && !correctedClock) {
            correctedClock = true;
            return Optional.of(Duration.ZERO);
        }
        if (tokenDropped && !renewedToken) {
            renewedToken = true;
            return Optional.of(Duration.ZERO);
        }
        if (!obeyed && refusal.status() == 401 && NOT_SIGNED_RIGHT.contains(refusal.code())) {
            String accepted = String.join(", ", headers.all("Accept-Signature"));
            Optional<Signer> wanted = signer.obey(accepted, attempt.unsigned());
            if (wanted.isPresent()) {
                obeyed = true;
                signer = wanted.get();
                return Optional.of(Duration.ZERO);
            }
        }
        return counted(wait(refusal));
    }

    /** The same when the connection failed before an answer came. */
    Optional<Duration> afterNoAnswer() {
        return isMethodRepeatable && isBodyRepeatable ? counted(Optional.of(backoff())) : Optional.empty();
    }

    private Optional<Duration> counted(Optional<Duration> wait) {
        if (wait.isEmpty() || left == 0) {
            return Optional.empty();
        }
        left--;
        return wait;
    }

    private Optional<Duration> wait(Refusal refusal) {
        boolean isLong = refusal.retryAfterSeconds().orElse(0) > LONGEST_WAIT_SECONDS;
        if (is(refusal, 429, "RATE_LIMITED") && refusal.retryAfterSeconds().isPresent() && !isLong) {
            return Optional.of(atLeastOne(refusal.retryAfterSeconds().getAsLong()));
        }
        if (refusal.status() == 503 && NOT_DECIDED.contains(refusal.code()) && !isLong) {
            return Optional.of(refusal.retryAfterSeconds().isPresent()
                    ? byChance(atLeastOne(refusal.retryAfterSeconds().getAsLong())) : backoff());
        }
        return refusal.isAcceptedBefore() && isMethodRepeatable ? Optional.of(atLeastOne(1)) : Optional.empty();
    }

    private static boolean is(Refusal refusal, int status, String code) {
        return refusal.status() == status && refusal.code().equals(code);
    }

    /** 1, 2, 4 … seconds. */
    private Duration backoff() {
        long seconds = Math.min(LONGEST_WAIT_SECONDS, 1L << Math.min(backoffs, 6));
        backoffs++;
        return byChance(Duration.ofSeconds(seconds));
    }

    private static Duration atLeastOne(long seconds) {
        return Duration.ofSeconds(Math.max(1, seconds));
    }

    private static Duration byChance(Duration wait) {
        return wait.plusMillis((long) (wait.toMillis() * CHANCE * ThreadLocalRandom.current().nextDouble()));
    }
}

package io.github.postern.client;

import java.time.Clock;
import java.time.Duration;
import java.util.OptionalLong;

/** The machine's clock with the correction that this client has learned from the gateway. */
final class ClientClock {
    private static final int LEAST_ASSERTION_DIFFERENCE = 30;

    private final Clock clock;
    private final long largestCorrection;
    private volatile long correction;

    ClientClock(Clock clock, Duration largestCorrection) {
        this.clock = clock;
        this.largestCorrection = largestCorrection.getSeconds();
    }

    /** Seconds since 1970. */
    long now() {
        return uncorrected() + correction;
    }

    /** Seconds that are added to the machine's clock. */
    long correction() {
        return correction;
    }

    /** Seconds since 1970 by the machine's clock. */
    long uncorrected() {
        return clock.instant().getEpochSecond();
    }

    /**
     * Compares the clock with the {@code Date} of an answer, and keeps the difference when it is small enough.
     *
     * @param used the correction that the refused request was signed with
     * @return whether another attempt would be signed with another time
     */
    boolean learn(HeaderList answer, long used) {
        OptionalLong date = answer.first("Date").map(HttpDates::read).orElse(OptionalLong.empty());
        if (largestCorrection > 0 && date.isPresent()) {
            long difference = date.getAsLong() - uncorrected();
            if (Math.abs(difference) <= largestCorrection) {
                correction = difference;
            }
        }
        return correction != used;
    }

    /** The same after a refused assertion, when the clocks differ by enough to be the reason. */
    boolean learnFromAssertion(HeaderList answer, long used) {
        OptionalLong date = answer.first("Date").map(HttpDates::read).orElse(OptionalLong.empty());
        boolean differs = date.isPresent()
                && Math.abs(date.getAsLong() - uncorrected() - used) >= LEAST_ASSERTION_DIFFERENCE;
        return differs && learn(answer, used);
    }
}

package io.github.postern.client;

import java.util.HashSet;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.LongFunction;

/** Which wrappers were signed for which second, so that none is signed twice where each signature passes once. */
final class WrapperTimes {
    private static final int MOST_SECONDS_AHEAD = 60;

    private final TreeMap<Long, Set<String>> signed = new TreeMap<>();

    /**
     * The first second from {@code now} on whose signature was not made before. When there is none within 60 seconds,
     * the last one again: the gateway then refuses it as replayed, and it is tried again later.
     */
    synchronized long firstUnused(long now, LongFunction<String> sign) {
        signed.headMap(now).clear();
        long time = now;
        while (!signed.computeIfAbsent(time, second -> new HashSet<>()).add(sign.apply(time))
                && time < now + MOST_SECONDS_AHEAD) {
            time++;
        }
        return time;
    }
}

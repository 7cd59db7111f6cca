package io.github.postern.client;

import java.io.IOException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import okhttp3.Call;

/** A clock that waiting sets forward, and nothing else. */
final class TestTime extends Clock implements Delays, OkHttpPauses {
    static final Instant START = Instant.ofEpochSecond(1795228800);

    private volatile Instant now = START;
    private final List<Duration> waits = new CopyOnWriteArrayList<>();

    List<Duration> waits() {
        return waits;
    }

    void pass(Duration time) {
        now = now.plus(time);
    }

    long nanoTime() {
        return Duration.between(START, now).toNanos();
    }

    @Override
    public CompletableFuture<Void> after(Duration time, Executor executor) {
        waits.add(time);
        pass(time);
        return CompletableFuture.runAsync(() -> { }, executor);
    }

    @Override
    public void pause(Call call, Duration time) throws IOException {
        if (!time.isZero()) {
            waits.add(time);
            pass(time);
        }
    }

    @Override
    public Instant instant() {
        return now;
    }

    @Override
    public ZoneId getZone() {
        return ZoneOffset.UTC;
    }

    @Override
    public Clock withZone(ZoneId zone) {
        throw new UnsupportedOperationException();
    }
}

package io.github.postern.client;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

/** Waits without holding a thread. */
interface Delays {
    /** Completes on the executor after this time, not before. */
    CompletableFuture<Void> after(Duration time, Executor executor);

    /** By the timer thread that Java itself has. */
    static Delays ofJava() {
        return (time, executor) -> CompletableFuture.runAsync(() -> { },
                CompletableFuture.delayedExecutor(time.toNanos(), TimeUnit.NANOSECONDS, executor));
    }
}

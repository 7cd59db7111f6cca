package io.github.postern.client;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import okhttp3.Call;

/** Waits between attempts of a call through OkHttp, on the thread of the call. */
interface OkHttpPauses {
    /**
     * Waits for this time.
     *
     * @throws IOException when the call is cancelled or its thread interrupted
     */
    void pause(Call call, Duration time) throws IOException;

    /** Looks often whether the call was cancelled, as OkHttp wakes no thread for it. */
    static OkHttpPauses ofThreads() {
        return (call, time) -> {
            long end = System.nanoTime() + time.toNanos();
            for (long left = time.toNanos(); left > 0; left = end - System.nanoTime()) {
                if (call.isCanceled()) {
                    throw new IOException("Canceled");
                }
                try {
                    Thread.sleep(Math.min(50, left / 1_000_000 + 1));
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                    throw new InterruptedIOException("interrupted");
                }
            }
        };
    }
}

package io.github.postern.client;

import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

/** A stream that can be had once. */
final class OneStream {
    private OneStream() {
    }

    static Supplier<InputStream> of(byte[] bytes) {
        AtomicBoolean isTaken = new AtomicBoolean();
        return () -> {
            if (isTaken.getAndSet(true)) {
                throw new IllegalStateException("the stream was read before");
            }
            return new ByteArrayInputStream(bytes);
        };
    }
}

package io.github.postern.client;

import java.io.ByteArrayOutputStream;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpResponse.BodySubscriber;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.Flow;
import java.util.function.Supplier;

/** Reads a body into memory, and gives up when it is larger than allowed. */
final class BoundedBytes implements BodySubscriber<byte[]> {
    private final int limit;
    private final Supplier<? extends Exception> tooLarge;
    private final CompletableFuture<byte[]> result = new CompletableFuture<>();
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private Flow.Subscription upstream;

    BoundedBytes(int limit, Supplier<? extends Exception> tooLarge) {
        this.limit = limit;
        this.tooLarge = tooLarge;
    }

    /** All bytes of a request's body, read by the executor, since a publisher may wait for a file or stream. */
    static CompletableFuture<byte[]> read(BodyPublisher publisher, int limit, Executor executor,
            Supplier<? extends Exception> tooLarge) {
        if (publisher.contentLength() > limit) {
            return CompletableFuture.failedFuture(tooLarge.get());
        }
        BoundedBytes reader = new BoundedBytes(limit, tooLarge);
        return CompletableFuture.runAsync(() -> publisher.subscribe(reader.buffers()), executor)
                .thenCompose(started -> reader.result);
    }

    static void copy(ByteBuffer buffer, ByteArrayOutputStream to) {
        byte[] part = new byte[buffer.remaining()];
        buffer.get(part);
        to.writeBytes(part);
    }

    private Flow.Subscriber<ByteBuffer> buffers() {
        return new Flow.Subscriber<>() {
            @Override
            public void onSubscribe(Flow.Subscription subscription) {
                BoundedBytes.this.onSubscribe(subscription);
            }

            @Override
            public void onNext(ByteBuffer buffer) {
                BoundedBytes.this.onNext(List.of(buffer));
            }

            @Override
            public void onError(Throwable failure) {
                BoundedBytes.this.onError(failure);
            }

            @Override
            public void onComplete() {
                BoundedBytes.this.onComplete();
            }
        };
    }

    @Override
    public CompletionStage<byte[]> getBody() {
        return result;
    }

    @Override
    public void onSubscribe(Flow.Subscription subscription) {
        upstream = subscription;
        upstream.request(1);
    }

    @Override
    public void onNext(List<ByteBuffer> buffers) {
        for (ByteBuffer buffer : buffers) {
            if (buffer.remaining() > limit - bytes.size()) {
                upstream.cancel();
                result.completeExceptionally(tooLarge.get());
                return;
            }
            copy(buffer, bytes);
        }
        upstream.request(1);
    }

    @Override
    public void onError(Throwable failure) {
        result.completeExceptionally(failure);
    }

    @Override
    public void onComplete() {
        result.complete(bytes.toByteArray());
    }
}

package io.github.postern.client;

import java.io.ByteArrayOutputStream;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodySubscriber;
import java.net.http.HttpResponse.ResponseInfo;
import java.nio.ByteBuffer;
import java.time.Clock;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;

/**
 * Holds a body back until it is whole and can be read as a refusal. One that is larger than any refusal goes to the
 * caller's handler as it comes, the bytes that were held first.
 */
final class PeekingSubscriber<T> implements BodySubscriber<Peeked<T>> {
    private final ResponseInfo head;
    private final BodyHandler<T> handler;
    private final CompletableFuture<Peeked<T>> result = new CompletableFuture<>();
    private final ByteArrayOutputStream held = new ByteArrayOutputStream();
    private Flow.Subscription upstream;
    private BodySubscriber<T> downstream;

    PeekingSubscriber(ResponseInfo head, BodyHandler<T> handler) {
        this.head = head;
        this.handler = handler;
    }

    @Override
    public CompletionStage<Peeked<T>> getBody() {
        return result;
    }

    @Override
    public void onSubscribe(Flow.Subscription subscription) {
        upstream = subscription;
        upstream.request(1);
    }

    @Override
    public void onNext(List<ByteBuffer> buffers) {
        if (downstream != null) {
            downstream.onNext(buffers);
            return;
        }
        buffers.forEach(buffer -> BoundedBytes.copy(buffer, held));
        if (held.size() <= Refusal.LARGEST) {
            upstream.request(1);
            return;
        }
        BodySubscriber<T> subscriber = handler.apply(head);
        downstream = subscriber;
        subscriber.onSubscribe(new HeldFirst());
        subscriber.getBody().whenComplete((body, failure) -> {
            if (failure == null) {
                result.complete(new Peeked<>(null, () -> CompletableFuture.completedFuture(body)));
            } else {
                result.completeExceptionally(failure);
            }
        });
    }

    @Override
    public void onError(Throwable failure) {
        if (downstream == null) {
            result.completeExceptionally(failure);
        } else {
            downstream.onError(failure);
        }
    }

    @Override
    public void onComplete() {
        if (downstream != null) {
            downstream.onComplete();
            return;
        }
        byte[] body = held.toByteArray();
        Refusal refusal = Refusal
                .read(head.statusCode(), HeaderList.of(head.headers().map()), body, Clock.systemUTC()).orElse(null);
        result.complete(new Peeked<>(refusal, () -> replay(body)));
    }

    private CompletionStage<T> replay(byte[] body) {
        BodySubscriber<T> subscriber = handler.apply(head);
        BodyPublishers.ofByteArray(body).subscribe(new Flow.Subscriber<>() {
            @Override
            public void onSubscribe(Flow.Subscription subscription) {
                subscriber.onSubscribe(subscription);
            }

            @Override
            public void onNext(ByteBuffer buffer) {
                subscriber.onNext(List.of(buffer));
            }

            @Override
            public void onError(Throwable failure) {
                subscriber.onError(failure);
            }

            @Override
            public void onComplete() {
                subscriber.onComplete();
            }
        });
        return subscriber.getBody();
    }

    /** Answers the first demand with what was held. Demand that comes while it does so waits: nothing overtakes. */
    private final class HeldFirst implements Flow.Subscription {
        private boolean isReplayed;
        private boolean isReplaying;
        private long waiting;

        @Override
        public void request(long demand) {
            long open = demand;
            synchronized (this) {
                if (isReplaying) {
                    waiting = sum(waiting, demand);
                    return;
                }
                isReplaying = !isReplayed && demand > 0;
            }
            if (isReplaying) {
                downstream.onNext(List.of(ByteBuffer.wrap(held.toByteArray()).asReadOnlyBuffer()));
                synchronized (this) {
                    isReplaying = false;
                    isReplayed = true;
                    open = sum(demand - 1, waiting);
                }
            }
            if (open != 0 || demand <= 0) {
                upstream.request(open);
            }
        }

        private long sum(long one, long other) {
            return one > Long.MAX_VALUE - other ? Long.MAX_VALUE : one + other;
        }

        @Override
        public void cancel() {
            upstream.cancel();
        }
    }
}

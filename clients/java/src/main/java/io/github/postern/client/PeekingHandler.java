package io.github.postern.client;

import static java.util.concurrent.CompletableFuture.completedFuture;

import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodySubscriber;
import java.net.http.HttpResponse.BodySubscribers;
import java.net.http.HttpResponse.ResponseInfo;

/** Looks for refusals in answers of one attempt. All other bodies go straight to the caller's handler. */
final class PeekingHandler<T> implements BodyHandler<Peeked<T>> {
    private final BodyHandler<T> handler;
    private volatile boolean isAnswered;

    PeekingHandler(BodyHandler<T> handler) {
        this.handler = handler;
    }

    /** Whether the head of an answer came. */
    boolean isAnswered() {
        return isAnswered;
    }

    @Override
    public BodySubscriber<Peeked<T>> apply(ResponseInfo head) {
        isAnswered = true;
        return Refusal.mayBe(head.statusCode(), HeaderList.of(head.headers().map()))
                ? new PeekingSubscriber<>(head, handler)
                : BodySubscribers.mapping(handler.apply(head), body -> new Peeked<>(null, () -> completedFuture(body)));
    }
}

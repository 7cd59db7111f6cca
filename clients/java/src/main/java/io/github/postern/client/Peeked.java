package io.github.postern.client;

import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/** An answer whose body was looked at for a refusal, and can still be read by the caller's handler. */
final class Peeked<T> {
    private final Refusal refusal;
    private final Supplier<CompletionStage<T>> body;

    Peeked(Refusal refusal, Supplier<CompletionStage<T>> body) {
        this.refusal = refusal;
        this.body = body;
    }

    /** {@code null} when the answer is no refusal. */
    Refusal refusal() {
        return refusal;
    }

    /** Gives the body to the caller's handler. To be called at most once, and not at all when the call is retried. */
    CompletionStage<T> body() {
        return body.get();
    }
}

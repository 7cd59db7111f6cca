package io.github.postern.client;

import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpTimeoutException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import javax.net.ssl.SSLHandshakeException;

/** One call with all its attempts. No thread waits. */
final class HttpCall<T> {
    private final PosternClient client;
    private final HttpClient http;
    private final TokenSource.Transport tokenTransport;
    private final Delays delays;
    private final HttpRequest request;
    private final BodyHandler<T> handler;
    private final Executor executor;
    private final Retries retries;
    private final Result result = new Result();
    private volatile CompletableFuture<?> current = CompletableFuture.completedFuture(null);

    HttpCall(PosternHttpClient owner, HttpRequest request, BodyHandler<T> handler) {
        this.client = owner.postern();
        this.http = owner.http();
        this.tokenTransport = owner.tokenTransport();
        this.delays = owner.delays();
        this.executor = owner.backgroundExecutor();
        this.request = request;
        this.handler = handler;
        boolean isBodyRepeatable = client.signer().readsBody() || HttpRequests.isBodyRepeatable(request);
        this.retries = new Retries(client, request.method(), isBodyRepeatable);
    }

    CompletableFuture<HttpResponse<T>> start() {
        try {
            RequestToSign head = HttpRequests.toSign(request, new byte[0]);
            follow(body(head), body -> attempt(head.body(body)));
        } catch (RuntimeException e) {
            result.completeExceptionally(e);
        }
        return result;
    }

    private CompletableFuture<byte[]> body(RequestToSign head) {
        if (!client.signer().readsBody() || request.bodyPublisher().isEmpty()) {
            return CompletableFuture.completedFuture(new byte[0]);
        }
        int limit = client.signer().largestBody(head.headerList());
        return BoundedBytes.read(request.bodyPublisher().get(), limit, executor,
                () -> new SigningProblem(SigningProblem.Code.BODY_TOO_LARGE,
                        "The body has more than " + limit + " bytes."));
    }

    private void attempt(RequestToSign toSign) {
        CompletableFuture<AccessToken> token = client.tokens().map(source -> source.get(tokenTransport))
                .orElseGet(() -> CompletableFuture.completedFuture(null));
        follow(token, fresh -> send(toSign, client.attempt(toSign, fresh, retries.signer())));
    }

    private void send(RequestToSign toSign, Attempt attempt) {
        HttpRequest signed = HttpRequests.toSend(request, attempt.request(), client.signer().readsBody());
        PeekingHandler<T> peeking = new PeekingHandler<>(handler);
        CompletableFuture<HttpResponse<Peeked<T>>> exchange = http.sendAsync(signed, peeking);
        track(exchange);
        exchange.whenComplete((answer, failure) -> guarded(() -> {
            if (failure == null) {
                answered(toSign, attempt, answer);
            } else if (peeking.isAnswered() || !isConnectionFailure(unwrapped(failure))) {
                fail(failure);
            } else {
                again(toSign, retries.afterNoAnswer(), () -> fail(failure));
            }
        }));
    }

    private void answered(RequestToSign toSign, Attempt attempt, HttpResponse<Peeked<T>> answer) {
        Refusal refusal = answer.body().refusal();
        Optional<Duration> wait = refusal == null ? Optional.empty()
                : retries.after(refusal, HeaderList.of(answer.headers().map()), attempt);
        again(toSign, wait, () -> follow(answer.body().body().toCompletableFuture(),
                body -> result.complete(new PosternResponse<>(request, answer, body, refusal))));
    }

    private void again(RequestToSign toSign, Optional<Duration> wait, Runnable otherwise) {
        if (wait.isEmpty()) {
            otherwise.run();
        } else if (wait.get().isZero()) {
            attempt(toSign);
        } else {
            follow(delays.after(wait.get(), executor), passed -> attempt(toSign));
        }
    }

    /** Goes on when the step is done, unless it failed or the caller cancelled the call. */
    private <S> void follow(CompletableFuture<S> step, Consumer<S> next) {
        track(step);
        step.whenComplete((value, failure) -> guarded(() -> {
            if (failure != null) {
                fail(failure);
            } else if (!result.isDone()) {
                next.accept(value);
            }
        }));
    }

    /** What a cancellation of the call has to end, at once when it came first. */
    private void track(CompletableFuture<?> step) {
        current = step;
        if (result.isCancelled()) {
            step.cancel(true);
        }
    }

    private void guarded(Runnable step) {
        try {
            step.run();
        } catch (RuntimeException | Error e) {
            fail(e);
        }
    }

    private void fail(Throwable failure) {
        result.completeExceptionally(unwrapped(failure));
    }

    private static Throwable unwrapped(Throwable failure) {
        return failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
    }

    /** Not a wrong certificate, which stays wrong, nor the caller's own limit of time. */
    private static boolean isConnectionFailure(Throwable failure) {
        return failure instanceof HttpConnectTimeoutException
                || failure instanceof IOException && !(failure instanceof HttpTimeoutException)
                        && !(failure instanceof SSLHandshakeException);
    }

    /** Cancelling it ends the attempt or wait that is under way. */
    private final class Result extends CompletableFuture<HttpResponse<T>> {
        @Override
        public boolean cancel(boolean mayInterrupt) {
            boolean isCancelled = super.cancel(mayInterrupt);
            current.cancel(mayInterrupt);
            return isCancelled;
        }

        @Override
        public <U> CompletableFuture<U> newIncompleteFuture() {
            return new CompletableFuture<>();
        }
    }
}

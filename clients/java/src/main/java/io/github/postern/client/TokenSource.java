package io.github.postern.client;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.net.http.HttpTimeoutException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.LongSupplier;
import javax.net.ssl.SSLException;

/** Keeps one access token in memory, and asks for another when it ends. Calls that come while it asks wait for it. */
final class TokenSource {
    /** The most bytes of an answer of a token URL. */
    static final int LARGEST_ANSWER = 65_536;

    /** Failures that hold nothing of an answer. Others may quote it, and with it the App Secret. */
    private static final List<Class<? extends IOException>> NETWORK = List.of(SocketException.class,
            UnknownHostException.class, InterruptedIOException.class, HttpTimeoutException.class, SSLException.class);

    private final String tokenUrl;
    private final TokenCredential credential;
    private final LongSupplier nanoTime;
    private AccessToken token;
    private CompletableFuture<AccessToken> pending;

    TokenSource(String tokenUrl, TokenCredential credential, LongSupplier nanoTime) {
        this.tokenUrl = tokenUrl;
        this.credential = credential;
        this.nanoTime = nanoTime;
    }

    /** Sends the question for a token through one HTTP library, without following redirects. */
    interface Transport {
        CompletableFuture<Answer> ask(RequestToSign question);
    }

    /** What came back. */
    static final class Answer {
        private final int status;
        private final HeaderList headers;
        private final byte[] body;

        Answer(int status, HeaderList headers, byte[] body) {
            this.status = status;
            this.headers = headers;
            this.body = body;
        }
    }

    /** A token to use now. Fails with a {@link TokenException}. Cancelling the result disturbs no other call. */
    CompletableFuture<AccessToken> get(Transport transport) {
        CompletableFuture<AccessToken> asked;
        synchronized (this) {
            if (token != null && token.isFresh(nanoTime.getAsLong())) {
                return CompletableFuture.completedFuture(token);
            }
            if (pending != null) {
                return pending.copy();
            }
            asked = new CompletableFuture<>();
            pending = asked;
        }
        CompletableFuture<AccessToken> result = asked.copy();
        // Outside the lock, since a transport may wait for the answer.
        ask(transport, true).whenComplete((fresh, failure) -> settle(asked, fresh, failure));
        return result;
    }

    /** Forgets a token that the gateway refused, unless there is another one by now. */
    synchronized void drop(AccessToken refused) {
        if (token == refused) {
            token = null;
        }
    }

    private void settle(CompletableFuture<AccessToken> asked, AccessToken fresh, Throwable failure) {
        synchronized (this) {
            pending = null;
            token = fresh;
        }
        if (failure == null) {
            asked.complete(fresh);
        } else {
            asked.completeExceptionally(tokenException(failure));
        }
    }

    private static Throwable tokenException(Throwable failure) {
        Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
        if (cause instanceof TokenException || cause instanceof SigningProblem || cause instanceof Error) {
            return cause;
        }
        // Anything else may quote the answer, such as a length of it that is no number.
        boolean isOfNetwork = NETWORK.stream().anyMatch(kind -> kind.isInstance(cause));
        return isOfNetwork ? new TokenException("The token URL could not be asked: " + cause.getMessage(), cause)
                : new TokenException("The token URL gave no answer that is HTTP.", null);
    }

    /** Once more after a refused assertion when the clock was corrected. */
    private CompletableFuture<AccessToken> ask(Transport transport, boolean mayAskAgain) {
        long askedAt = nanoTime.getAsLong();
        long correction = credential.correction();
        try {
            return transport.ask(credential.question(tokenUrl, correction)).thenCompose(answer -> {
                try {
                    return CompletableFuture.completedFuture(AccessToken.read(answer.status, answer.body, askedAt));
                } catch (TokenException e) {
                    boolean isRefused = e.error().filter("invalid_client"::equals).isPresent();
                    return mayAskAgain && isRefused && credential.learn(answer.headers, correction)
                            ? ask(transport, false) : CompletableFuture.failedFuture(e);
                }
            });
        } catch (RuntimeException | Error e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    TokenCredential credential() {
        return credential;
    }

    @Override
    public String toString() {
        return "TokenSource{tokenUrl=" + tokenUrl + ", token=" + Secret.PRINTED + "}";
    }
}

package io.github.postern.client;

import java.io.IOException;

/**
 * Thrown by calls through OkHttp when the client refuses to send a request. OkHttp passes only {@link IOException}s on
 * to callbacks, so the {@link SigningProblem} is inside.
 */
public final class NotSentException extends IOException {
    private static final long serialVersionUID = 1L;

    /** Why nothing was sent. */
    private final SigningProblem problem;

    NotSentException(SigningProblem problem) {
        super(problem.code() + ": " + problem.getMessage(), problem);
        this.problem = problem;
    }

    /**
     * Why nothing was sent.
     *
     * @return the problem, never null
     */
    public SigningProblem problem() {
        return problem;
    }
}

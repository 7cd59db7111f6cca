package io.github.postern.client;

import java.util.Objects;

/**
 * For programs that want an exception when the gateway refuses: {@code Refusal.of(response).ifPresent(r -> { throw new
 * RefusalException(r); })}. The client itself never throws it.
 */
public final class RefusalException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** What the gateway said. */
    private final Refusal refusal;

    /**
     * Makes an exception of a refusal.
     *
     * @param refusal what the gateway said
     */
    public RefusalException(Refusal refusal) {
        super(Objects.requireNonNull(refusal, "refusal").toString());
        this.refusal = refusal;
    }

    /**
     * What the gateway said.
     *
     * @return never null
     */
    public Refusal refusal() {
        return refusal;
    }
}

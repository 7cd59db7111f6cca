package io.github.postern.client;

import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/** An access token and how long it may be used, by a clock that is never set. */
final class AccessToken {
    private static final Pattern TOKEN = Pattern.compile("[A-Za-z0-9._~+/-]+=*");
    /** Those of RFC 6749. Another text may repeat the App Secret, in any encoding. */
    private static final Set<String> ERRORS = Set.of("invalid_request", "invalid_client", "invalid_grant",
            "unauthorized_client", "unsupported_grant_type", "invalid_scope", "server_error", "temporarily_unavailable");
    private static final double MARGIN_SECONDS = 60;
    private static final double MARGIN_SHARE = 0.1;
    private static final double LONGEST_SECONDS = 1e9;

    private final Secret text;
    private final long renewAt;

    private AccessToken(Secret text, long renewAt) {
        this.text = text;
        this.renewAt = renewAt;
    }

    /**
     * Reads the answer of a token URL.
     *
     * @param askedAt when it was asked, in nanoseconds of {@link System#nanoTime}
     * @throws TokenException when it is no token; of the answer only a known error is in its message
     */
    static AccessToken read(int status, byte[] body, long askedAt) throws TokenException {
        Map<?, ?> json = Bytes.utf8(body).flatMap(Json::readObject).orElse(Map.of());
        if (status != 200) {
            Object said = json.get("error");
            String error = said instanceof String && ERRORS.contains(said) ? (String) said : null;
            throw new TokenException("The token URL answered " + status + (error == null ? "" : " " + error), status,
                    error);
        }
        Object token = json.get("access_token");
        Object life = json.get("expires_in");
        boolean isBearer = json.get("token_type") instanceof String
                && "bearer".equalsIgnoreCase((String) json.get("token_type"));
        if (!isBearer || !(token instanceof String) || !TOKEN.matcher((String) token).matches()) {
            throw new TokenException("The token URL answered 200 without a bearer token.", status, null);
        }
        if (life != null && !(life instanceof Number && ((Number) life).doubleValue() >= 0)) {
            throw new TokenException("The token URL answered with an expires_in that is no number of seconds.", status,
                    null);
        }
        // Without expires_in the token is used until the gateway refuses it.
        double seconds = life == null ? LONGEST_SECONDS : Math.min(LONGEST_SECONDS, ((Number) life).doubleValue());
        double use = seconds - Math.min(MARGIN_SECONDS, seconds * MARGIN_SHARE);
        return new AccessToken(new Secret((String) token), askedAt + (long) (use * 1e9));
    }

    Secret text() {
        return text;
    }

    boolean isFresh(long nanoTime) {
        return nanoTime - renewAt < 0;
    }

    @Override
    public String toString() {
        return Secret.PRINTED;
    }
}

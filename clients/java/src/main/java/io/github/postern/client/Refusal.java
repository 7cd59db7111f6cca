package io.github.postern.client;

import java.io.Serializable;
import java.net.http.HttpResponse;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/** A request that the gateway refused: it never reached the API. */
public final class Refusal implements Serializable {
    private static final long serialVersionUID = 1L;

    /** The most bytes of an answer that is read as a refusal. */
    static final int LARGEST = 65_536;

    /** The HTTP status. */
    private final int status;
    /** The reason. */
    private final String code;
    /** The reason in words. */
    private final String message;
    /** The number of the request. */
    private final String requestId;
    /** What the gateway would have signed, or null. */
    private final String stringToSign;
    /** Seconds from the answer on, or -1. */
    private final long retryAfter;

    private Refusal(int status, Map<?, ?> body, OptionalLong retryAfter) {
        this.status = status;
        this.code = (String) body.get("code");
        this.message = (String) body.get("message");
        this.requestId = (String) body.get("requestId");
        Object signed = body.get("stringToSign");
        this.stringToSign = signed instanceof String ? (String) signed : null;
        this.retryAfter = retryAfter.orElse(-1);
    }

    /**
     * The refusal in an answer that {@link PosternHttpClient} gave. The body stays readable, whatever its type.
     *
     * @param response the answer
     * @return nothing when the answer is no refusal of the gateway, or comes from another client
     */
    public static Optional<Refusal> of(HttpResponse<?> response) {
        return response instanceof PosternResponse ? ((PosternResponse<?>) response).refusal() : Optional.empty();
    }

    /**
     * The refusal in an answer of any HTTP library.
     *
     * @param status the HTTP status
     * @param headers all headers; names in any case
     * @param body all bytes of the body
     * @return nothing when the answer is no refusal of the gateway
     */
    public static Optional<Refusal> read(int status, Map<String, List<String>> headers, byte[] body) {
        return read(status, HeaderList.of(headers), body, Clock.systemUTC());
    }

    static Optional<Refusal> read(int status, HeaderList headers, byte[] body, Clock clock) {
        if (!mayBe(status, headers) || body.length > LARGEST) {
            return Optional.empty();
        }
        return Bytes.utf8(body).flatMap(Json::readObject)
                .filter(json -> json.get("code") instanceof String && json.get("message") instanceof String
                        && json.containsKey("requestId")
                        && (json.get("requestId") == null || json.get("requestId") instanceof String))
                .map(json -> new Refusal(status, json, retryAfter(headers, clock)));
    }

    /** Whether the body is worth a look. */
    static boolean mayBe(int status, HeaderList headers) {
        return status >= 400 && status <= 599 && headers.first("Content-Encoding").isEmpty()
                && headers.first("Content-Type")
                        .filter(type -> type.split(";", 2)[0].trim().equalsIgnoreCase("application/json"))
                        .isPresent();
    }

    private static OptionalLong retryAfter(HeaderList headers, Clock clock) {
        String text = headers.first("Retry-After").map(String::trim).orElse("");
        if (text.matches("[0-9]{1,10}")) {
            return OptionalLong.of(Long.parseLong(text));
        }
        OptionalLong date = HttpDates.read(text);
        return date.isEmpty() ? date
                : OptionalLong.of(Math.max(0, date.getAsLong() - clock.instant().getEpochSecond()));
    }

    /**
     * The HTTP status.
     *
     * @return such as 401
     */
    public int status() {
        return status;
    }

    /**
     * The reason. Codes do not change.
     *
     * @return such as {@code REQUEST_EXPIRED}
     */
    public String code() {
        return code;
    }

    /**
     * The reason in words.
     *
     * @return one sentence in English
     */
    public String message() {
        return message;
    }

    /**
     * The number of the request, to quote when you ask the operator of the API.
     *
     * @return as the gateway gave it; empty when it gave none
     */
    public Optional<String> requestId() {
        return Optional.ofNullable(requestId);
    }

    /**
     * Whether the gateway let an equal request through before: the API has it. With a nonce it was this very call,
     * whose answer was lost. See whether it took effect before you call again.
     *
     * @return true for {@code REQUEST_REPLAYED}
     */
    public boolean isAcceptedBefore() {
        return status == 401 && code.equals("REQUEST_REPLAYED");
    }

    /**
     * When to try again.
     *
     * @return seconds from now; empty when the gateway does not say
     */
    public OptionalLong retryAfterSeconds() {
        return retryAfter < 0 ? OptionalLong.empty() : OptionalLong.of(retryAfter);
    }

    /**
     * What the gateway would have signed, where its operator switched this hint on. Compare it with
     * {@link SignedRequest#stringToSign()}.
     *
     * @return empty where the gateway does not say
     */
    public Optional<String> stringToSign() {
        return Optional.ofNullable(stringToSign);
    }

    @Override
    public String toString() {
        return "Refusal: " + status + " " + code + ": " + message
                + (requestId == null ? "" : " (request " + requestId + ")");
    }
}

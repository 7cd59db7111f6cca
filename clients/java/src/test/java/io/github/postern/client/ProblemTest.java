package io.github.postern.client;

import static io.github.postern.client.SigningProblem.Code.AMBIGUOUS_PARAMETERS;
import static io.github.postern.client.SigningProblem.Code.BODY_NOT_SIGNABLE;
import static io.github.postern.client.SigningProblem.Code.BODY_TOO_LARGE;
import static io.github.postern.client.SigningProblem.Code.HEADER_NOT_SIGNABLE;
import static io.github.postern.client.SigningProblem.Code.INVALID_CREDENTIAL;
import static io.github.postern.client.SigningProblem.Code.MALFORMED_PARAMETERS;
import static io.github.postern.client.SigningProblem.Code.QUERY_NOT_SIGNABLE;
import static io.github.postern.client.SigningProblem.Code.RESERVED_PARAMETER;
import static io.github.postern.client.SigningProblem.Code.TARGET_NOT_SIGNABLE;
import static io.github.postern.client.SigningProblem.Code.TOO_MANY_PARAMETERS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Problems beyond those of the vectors, and which one counts when several hold. */
class ProblemTest {
    private static final String SECRET = "n3vxQ1o8Zr5tYw2u";
    private static final String URL = "https://api.example.com/shipments";
    private static final String FORM = "application/x-www-form-urlencoded";
    private static final String JSON = "application/json";
    private static final String MANY =
            IntStream.range(0, 98).mapToObj(each -> "p" + each + "=1").collect(Collectors.joining("&"));

    private static void assertProblem(SigningProblem.Code code, Executable step) {
        assertEquals(code, assertThrows(SigningProblem.class, step).code());
    }

    private static void assertParameters(SigningProblem.Code code, RequestToSign request) {
        assertProblem(code, () -> PosternClient.parameterSignature("k", SECRET).build().sign(request));
    }

    private static RequestToSign post(String url, String type, String body) {
        return RequestToSign.of("POST", url).header("Content-Type", type).body(body.getBytes());
    }

    @Test
    void theFirstInTheOrderCounts() {
        String large = "=%zz&".repeat(2_200_000);
        assertParameters(TARGET_NOT_SIGNABLE, post(URL + "?a=ä", "text/plain", large));
        assertParameters(BODY_TOO_LARGE, post(URL + "?a", "text/plain", large));
        assertParameters(BODY_NOT_SIGNABLE, post(URL + "?a", "text/plain", "sign=%zz"));
        assertParameters(QUERY_NOT_SIGNABLE, post(URL + "?a", FORM, "sign=%zz"));
        assertParameters(MALFORMED_PARAMETERS, post(URL, FORM, "a%3Db=1&sign=1&x=%zz&" + MANY));
        assertParameters(RESERVED_PARAMETER, post(URL, FORM, "a%3Db=1&sign=1&" + MANY));
        assertParameters(AMBIGUOUS_PARAMETERS, post(URL, FORM, "a%3Db=1&" + MANY));
        assertParameters(TOO_MANY_PARAMETERS, post(URL, FORM, MANY));
    }

    @Test
    void theTargetCountsBeforeHeaders() {
        PosternClient client = PosternClient.hmac("k", SECRET).signedHeaders("x-none").build();
        assertProblem(TARGET_NOT_SIGNABLE, () -> client.sign(RequestToSign.of("GET", URL + "/a b")));
        assertProblem(BODY_TOO_LARGE, () -> client.sign(RequestToSign.of("PUT", URL).body(new byte[10_485_761])));
        assertProblem(HEADER_NOT_SIGNABLE, () -> client.sign(RequestToSign.of("GET", URL)));
    }

    @Test
    void aFormCountsAsItIsSent() {
        int added = "&appKey=k&apiTimestamp=1795228800&sign=".length() + 128;
        PosternClient client = PosternClient.parameterSignature("k", SECRET)
                .clock(Clock.fixed(Instant.ofEpochSecond(1795228800), ZoneOffset.UTC)).build();
        String fits = "x".repeat(10_485_760 - added);
        assertEquals(10_485_760, client.sign(post(URL, FORM, fits)).body().length);
        assertProblem(BODY_TOO_LARGE, () -> client.sign(post(URL, FORM, fits + "x")));
        assertEquals(10_485_760, client.sign(post(URL, FORM, fits + "&")).body().length);
    }

    @Test
    void aWrapperCountsAsItIsSent() {
        PosternClient client = PosternClient.parameterSignature("k", SECRET)
                .clock(Clock.fixed(Instant.ofEpochSecond(1795228800), ZoneOffset.UTC)).build();
        int added = client.sign(post(URL, JSON, "x")).body().length - 1;
        String fits = "x".repeat(2_097_152 - added);
        assertEquals(2_097_152, client.sign(post(URL, JSON, fits)).body().length);
        assertProblem(BODY_TOO_LARGE, () -> client.sign(post(URL, JSON, fits + "x")));
        assertProblem(BODY_TOO_LARGE, () -> client.sign(post(URL, JSON, fits.substring(1) + "\"")));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "api.example.com/a", "/a", "ftp://a/b", "https:///a", "mailto:a", "https://a/\u007f",
        "https://a/b\n"})
    void aTargetMustBeAbsoluteAndAscii(String url) {
        assertProblem(TARGET_NOT_SIGNABLE,
                () -> PosternClient.key("k").build().sign(RequestToSign.of("GET", url)));
    }

    @ParameterizedTest
    @ValueSource(strings = {"text/plain", "application/json, application/json", "application/json;charset=",
        "application/json; charset=utf-16", "application/json; a=b; charset=\"latin1\""})
    void otherTypesCannotBeSigned(String type) {
        assertParameters(BODY_NOT_SIGNABLE, post(URL, type, "{}"));
    }

    @Test
    void aRepeatedTypeCannotBeSigned() {
        assertParameters(BODY_NOT_SIGNABLE, post(URL, JSON, "{}").header("content-type", JSON));
    }

    @Test
    void aFormOfBytesThatAreNotUtf8IsMalformed() {
        assertParameters(MALFORMED_PARAMETERS, RequestToSign.of("POST", URL).header("Content-Type", FORM)
                .body(new byte[] {'a', '=', (byte) 0xFF}));
    }

    @Test
    void rawParametersMustBeDecodableToo() {
        PosternClient raw = PosternClient.parameterSignature("k", SECRET).encoding(ParameterEncoding.RAW).build();
        assertProblem(MALFORMED_PARAMETERS, () -> raw.sign(RequestToSign.of("GET", URL + "?a=%FF")));
        assertProblem(RESERVED_PARAMETER, () -> raw.sign(RequestToSign.of("GET", URL + "?si%67n=1")));
    }

    @Test
    void halfACharacterIsNoParameter() {
        assertProblem(MALFORMED_PARAMETERS, () -> EncodeParameters.of("a", "\ud83d"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "a b", "ä", "a/b", "a\n", "k\""})
    void anAppKeyHasItsCharacters(String key) {
        assertProblem(INVALID_CREDENTIAL, () -> PosternClient.key(key));
        assertProblem(INVALID_CREDENTIAL, () -> PosternClient.hmac(key, SECRET));
        assertProblem(INVALID_CREDENTIAL, () -> PosternClient.parameterSignature(key, SECRET));
        assertProblem(INVALID_CREDENTIAL, () -> PosternClient.oauth2(key, SECRET, URL));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "a\n", "a\r\n", " a", "a ", "\ta", "a\u0000b", "a\u007fb", "a\u0085b", "a\u00a0",
        "\u3000a", "\ufeffa", "a\u2028", "a\udc00b"})
    void anAppSecretIsAsItWasIssued(String secret) {
        assertProblem(INVALID_CREDENTIAL, () -> PosternClient.hmac("k", secret));
    }

    @Test
    void settingsAreChecked() {
        assertProblem(INVALID_CREDENTIAL, () -> PosternClient.key("k".repeat(513)));
        assertProblem(INVALID_CREDENTIAL, () -> PosternClient.key(null));
        assertProblem(INVALID_CREDENTIAL, () -> PosternClient.hmac("k", null));
        for (String header : List.of("", "a b", "Host", "content-length", "ä")) {
            assertProblem(INVALID_CREDENTIAL, () -> PosternClient.key("k").header(header));
        }
        assertProblem(INVALID_CREDENTIAL, () -> PosternClient.key("k").query(""));
        assertProblem(INVALID_CREDENTIAL, () -> PosternClient.key("k").retries(-1));
        assertProblem(INVALID_CREDENTIAL, () -> PosternClient.key("k").clockCorrection(Duration.ofSeconds(-1)));
        assertProblem(INVALID_CREDENTIAL, () -> HmacAlgorithm.of("hmac-md5"));
        assertProblem(INVALID_CREDENTIAL, () -> PosternClient.oauth2("k", SECRET, "/oauth2/token"));
        assertThrows(IllegalArgumentException.class, () -> RequestToSign.of("GET /a HTTP/1.1\r\nX:", URL));
        assertThrows(IllegalStateException.class,
                () -> PosternClient.oauth2("k", SECRET, URL).build().sign(RequestToSign.of("GET", URL)));
    }
}

package io.github.postern.client;

import static io.github.postern.client.SigningProblem.Code.AMBIGUOUS_PARAMETERS;
import static io.github.postern.client.SigningProblem.Code.BODY_NOT_SIGNABLE;
import static io.github.postern.client.SigningProblem.Code.BODY_TOO_LARGE;
import static io.github.postern.client.SigningProblem.Code.MALFORMED_PARAMETERS;
import static io.github.postern.client.SigningProblem.Code.QUERY_NOT_SIGNABLE;
import static io.github.postern.client.SigningProblem.Code.RESERVED_PARAMETER;
import static io.github.postern.client.SigningProblem.Code.TOO_MANY_PARAMETERS;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Set;

/** Signs the parameters of the URL or form, or a JSON body in a wrapper. */
final class ParameterSigner implements Signer {
    private static final int LARGEST_WRAPPER = 2_097_152;
    private static final int MOST_PARAMETERS = 100;
    private static final int SIGN_LENGTH = 128;
    private static final Comparator<FormParameter> BY_NAME =
            Comparator.comparing(FormParameter::name, Arrays::compareUnsigned);

    private final String appKey;
    private final Secret appSecret;
    private final ParameterEncoding encoding;
    private final boolean nonce;
    private final WrapperTimes wrapperTimes = new WrapperTimes();

    ParameterSigner(String appKey, Secret appSecret, ParameterEncoding encoding, boolean nonce) {
        this.appKey = appKey;
        this.appSecret = appSecret;
        this.encoding = encoding;
        this.nonce = nonce;
    }

    @Override
    public boolean readsBody() {
        return true;
    }

    @Override
    public int largestBody(HeaderList headers) {
        return BodyKind.of(headers) == BodyKind.JSON ? LARGEST_WRAPPER : LARGEST_BODY;
    }

    @Override
    public SignedRequest sign(RequestToSign request, Stamp stamp) {
        WireUrl url = WireUrl.parse(request.url());
        byte[] body = request.bytes();
        if (body.length == 0) {
            Signed query = signText(url.queryText().getBytes(StandardCharsets.US_ASCII), stamp);
            String text = new String(query.text, StandardCharsets.US_ASCII);
            return signed(request, url.withQuery(text), body, query.stringToSign);
        }
        HeaderList headers = request.headerList();
        BodyKind kind = BodyKind.of(headers);
        checkSize(body, kind, stamp);
        checkKind(body, kind, headers);
        if (!url.queryText().isEmpty()) {
            throw new SigningProblem(QUERY_NOT_SIGNABLE, "The URL has a query beside a body, which nothing signs.");
        }
        Signed result = kind == BodyKind.FORM ? signText(body, stamp) : wrap(body, stamp);
        return signed(request, url, result.text, result.stringToSign);
    }

    private static SignedRequest signed(RequestToSign request, WireUrl url, byte[] body, byte[] stringToSign) {
        return new SignedRequest(request.method(), url, request.headerList(), body,
                new String(stringToSign, StandardCharsets.UTF_8));
    }

    private void checkSize(byte[] body, BodyKind kind, Stamp stamp) {
        int limit = kind == BodyKind.JSON ? LARGEST_WRAPPER : LARGEST_BODY;
        long size = body.length;
        if (kind == BodyKind.JSON && size <= limit) {
            size = Wrapper.write(body, appKey, "0".repeat(SIGN_LENGTH), stamp.now()).length;
        } else if (kind == BodyKind.FORM) {
            // A nonce is as long as any other.
            String more = added(stamp.now(), nonce ? "0".repeat(Nonces.LENGTH) : "") + "&sign=";
            size += (body[body.length - 1] == '&' ? 0 : 1) + more.length() + SIGN_LENGTH;
        }
        if (size > limit) {
            throw new SigningProblem(BODY_TOO_LARGE, "The body has more than " + limit + " bytes as it would be sent.");
        }
    }

    private static void checkKind(byte[] body, BodyKind kind, HeaderList headers) {
        if (kind == BodyKind.OTHER) {
            throw new SigningProblem(BODY_NOT_SIGNABLE,
                    "The Content-Type of the body is neither application/x-www-form-urlencoded nor application/json.");
        }
        if (!BodyKind.isPlainUtf8(headers)) {
            throw new SigningProblem(BODY_NOT_SIGNABLE, "The body is compressed, or its charset is not UTF-8.");
        }
        if (kind == BodyKind.JSON && Bytes.utf8(body).isEmpty()) {
            throw new SigningProblem(BODY_NOT_SIGNABLE, "The JSON body is not UTF-8.");
        }
    }

    private String added(long now, String nonceText) {
        return "appKey=" + appKey + "&apiTimestamp=" + now + (nonceText.isEmpty() ? "" : "&nonce=" + nonceText);
    }

    private Signed signText(byte[] text, Stamp stamp) {
        List<FormParameter> parameters = FormParameter.read(text);
        check(parameters);
        byte[] more = added(stamp.now(), nonce ? stamp.nonce() : "").getBytes(StandardCharsets.US_ASCII);
        parameters.addAll(FormParameter.read(more));
        byte[] stringToSign = join(parameters);
        ByteArrayOutputStream extended = new ByteArrayOutputStream(text.length + 512);
        extended.writeBytes(text);
        if (text.length > 0 && text[text.length - 1] != '&') {
            extended.write('&');
        }
        extended.writeBytes(more);
        extended.writeBytes(("&sign=" + hash(stringToSign)).getBytes(StandardCharsets.US_ASCII));
        return new Signed(extended.toByteArray(), stringToSign);
    }

    private void check(List<FormParameter> parameters) {
        List<FormParameter> plain = new ArrayList<>();
        for (FormParameter each : parameters) {
            plain.add(each.decoded().orElseThrow(() -> new SigningProblem(MALFORMED_PARAMETERS,
                    "A parameter has wrong percent-encoding, or is not UTF-8.")));
        }
        if (plain.stream().anyMatch(this::isReserved)) {
            throw new SigningProblem(RESERVED_PARAMETER, "A parameter is named appKey, sign, apiTimestamp"
                    + (nonce ? " or nonce" : "") + ", which the client adds.");
        }
        if (encoding == ParameterEncoding.DECODED && plain.stream().anyMatch(FormParameter::isAmbiguous)) {
            throw new SigningProblem(AMBIGUOUS_PARAMETERS,
                    "A parameter has & or = in its name, or & and later = in its value; send it as JSON.");
        }
        if (plain.size() + (nonce ? 4 : 3) > MOST_PARAMETERS) {
            throw new SigningProblem(TOO_MANY_PARAMETERS,
                    "There are more than " + MOST_PARAMETERS + " parameters, with those that the client adds.");
        }
    }

    private boolean isReserved(FormParameter parameter) {
        return parameter.isNamed("appKey") || parameter.isNamed("sign") || parameter.isNamed("apiTimestamp")
                || nonce && parameter.isNamed("nonce");
    }

    /** Sorted by name, with equal names in their order. */
    private byte[] join(List<FormParameter> parameters) {
        ByteArrayOutputStream joined = new ByteArrayOutputStream();
        parameters.stream()
                .map(each -> encoding == ParameterEncoding.RAW ? each : each.decoded().orElseThrow())
                .sorted(BY_NAME)
                .forEachOrdered(each -> {
                    if (joined.size() > 0) {
                        joined.write('&');
                    }
                    joined.writeBytes(each.name());
                    joined.write('=');
                    joined.writeBytes(each.value());
                });
        return joined.toByteArray();
    }

    private Signed wrap(byte[] data, Stamp stamp) {
        long time = nonce
                ? wrapperTimes.firstUnused(stamp.now(), second -> hash(wrapperText(data, second)))
                : stamp.now();
        byte[] stringToSign = wrapperText(data, time);
        return new Signed(Wrapper.write(data, appKey, hash(stringToSign), time), stringToSign);
    }

    private byte[] wrapperText(byte[] data, long time) {
        ByteArrayOutputStream text = new ByteArrayOutputStream(data.length + 128);
        text.writeBytes(("apiTimestamp=" + time + "&appKey=" + appKey + "&data=").getBytes(StandardCharsets.US_ASCII));
        text.writeBytes(data);
        return text.toByteArray();
    }

    private String hash(byte[] stringToSign) {
        MessageDigest digest = Bytes.digest("SHA-512");
        digest.update(stringToSign);
        return Bytes.hex(digest.digest(appSecret.bytes()));
    }

    @Override
    public Set<String> headersSet() {
        return Set.of();
    }

    @Override
    public String toString() {
        return "method=parameter-signature, appKey=" + appKey + ", appSecret=" + appSecret + ", encoding=" + encoding
                + ", nonce=" + nonce;
    }

    /** A query, form or wrapper with its signature, and what was signed. */
    private static final class Signed {
        private final byte[] text;
        private final byte[] stringToSign;

        Signed(byte[] text, byte[] stringToSign) {
            this.text = text;
            this.stringToSign = stringToSign;
        }
    }
}

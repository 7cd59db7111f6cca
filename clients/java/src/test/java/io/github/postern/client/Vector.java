package io.github.postern.client;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** A case of {@code vectors.json}, and how the texts of vectors and driver become clients and requests. */
final class Vector {
    private final Map<?, ?> json;

    private Vector(Map<?, ?> json) {
        this.json = json;
    }

    static List<Vector> all() {
        try {
            Map<?, ?> document = (Map<?, ?>) Json.read(Files.readString(Path.of("../vectors.json")));
            return list(document, "cases").stream().map(each -> new Vector((Map<?, ?>) each))
                    .collect(Collectors.toList());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    boolean has(String name) {
        return json.containsKey(name);
    }

    String text(String name) {
        return (String) json.get(name);
    }

    Map<?, ?> map(String name) {
        return (Map<?, ?>) json.get(name);
    }

    List<?> list(String name) {
        return list(json, name);
    }

    PosternClient client() {
        ClientBuilder<?> builder = builder(map("client"));
        builder.clock(Clock.fixed(Instant.ofEpochSecond((Long) json.get("now")), ZoneOffset.UTC));
        if (has("nonce")) {
            builder.nonces(List.of(text("nonce")).iterator()::next);
        }
        return builder.build();
    }

    @Override
    public String toString() {
        return text("name");
    }

    static List<?> list(Map<?, ?> json, String name) {
        return (List<?>) json.get(name);
    }

    /** A builder with all settings of the {@code client} of a vector or of the driver. */
    static ClientBuilder<?> builder(Map<?, ?> client) {
        String key = (String) client.get("appKey");
        String secret = (String) client.get("appSecret");
        ClientBuilder<?> builder = KeyVector.isMethod(client) ? KeyVector.ofMethod(client, key)
                : ofMethod(client, key, secret);
        if (client.get("retries") != null) {
            builder.retries(((Number) client.get("retries")).intValue());
        }
        if (client.get("clockCorrection") != null) {
            builder.clockCorrection(Duration.ofSeconds(((Number) client.get("clockCorrection")).longValue()));
        }
        if (client.get("now") != null) {
            builder.clock(Clock.fixed(Instant.ofEpochSecond(((Number) client.get("now")).longValue()), ZoneOffset.UTC));
        } else if (client.get("clockOffset") != null) {
            builder.clock(Clock.offset(Clock.systemUTC(),
                    Duration.ofSeconds(((Number) client.get("clockOffset")).longValue())));
        }
        if (client.get("nonces") != null) {
            Iterator<?> nonces = list(client, "nonces").iterator();
            builder.nonces(() -> (String) nonces.next());
        }
        return builder;
    }

    private static ClientBuilder<?> ofMethod(Map<?, ?> client, String key, String secret) {
        boolean nonce = Boolean.TRUE.equals(client.get("nonce"));
        switch ((String) client.get("method")) {
            case "key":
                KeyBuilder keyBuilder = PosternClient.key(key);
                Map<?, ?> carrier = (Map<?, ?>) client.get("carrier");
                if (carrier == null) {
                    return keyBuilder;
                }
                return carrier.containsKey("query") ? keyBuilder.query((String) carrier.get("query"))
                        : keyBuilder.header((String) carrier.get("header"));
            case "hmac":
                HmacBuilder hmac = PosternClient.hmac(key, secret).nonce(nonce);
                if (client.get("algorithm") != null) {
                    hmac.algorithm(HmacAlgorithm.of((String) client.get("algorithm")));
                }
                if (client.get("signedHeaders") != null) {
                    hmac.signedHeaders(list(client, "signedHeaders").toArray(new String[0]));
                }
                return hmac;
            case "parameter-signature":
                return PosternClient.parameterSignature(key, secret).nonce(nonce)
                        .encoding("raw".equals(client.get("encoding"))
                                ? ParameterEncoding.RAW : ParameterEncoding.DECODED);
            case "oauth2":
                return PosternClient.oauth2(key, secret, (String) client.get("tokenUrl"));
            default:
                throw new IllegalArgumentException("no such method");
        }
    }

    /** The {@code request} of a vector or of the driver. */
    static RequestToSign request(Map<?, ?> request) {
        RequestToSign result = RequestToSign.of((String) request.get("method"), (String) request.get("url"));
        for (Map.Entry<String, String> header : headers(request)) {
            result = result.header(header.getKey(), header.getValue());
        }
        return result.body(body((Map<?, ?>) request.get("body")));
    }

    static List<Map.Entry<String, String>> headers(Map<?, ?> request) {
        List<Map.Entry<String, String>> headers = new ArrayList<>();
        List<?> pairs = request.get("headers") == null ? List.of() : list(request, "headers");
        for (Object each : pairs) {
            List<?> pair = (List<?>) each;
            headers.add(Map.entry((String) pair.get(0), (String) pair.get(1)));
        }
        return headers;
    }

    static byte[] body(Map<?, ?> body) {
        if (body == null) {
            return new byte[0];
        }
        if (body.get("text") != null) {
            return ((String) body.get("text")).getBytes(UTF_8);
        }
        return body.get("base64") != null ? Base64.getDecoder().decode((String) body.get("base64"))
                : ((String) body.get("repeat")).repeat(((Long) body.get("times")).intValue()).getBytes(UTF_8);
    }
}

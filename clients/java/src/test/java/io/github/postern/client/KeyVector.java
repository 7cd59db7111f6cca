package io.github.postern.client;

import java.io.IOException;
import java.io.OutputStream;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/** How the words of the vectors and of the driver for private keys become clients. */
final class KeyVector {
    private KeyVector() {
    }

    static boolean isMethod(Map<?, ?> client) {
        return List.of("http-message-signature", "private-key-jwt").contains(client.get("method"));
    }

    /** A builder of a method with a private key, with all of its own settings. */
    static ClientBuilder<?> ofMethod(Map<?, ?> client, String appKey) {
        boolean isAssertion = client.get("method").equals("private-key-jwt");
        SigningKey key = key(client);
        if (isAssertion) {
            PrivateKeyJwtBuilder builder = PosternClient.privateKeyJwt(appKey, key, (String) client.get("tokenUrl"));
            if (client.get("audience") != null) {
                builder.audience((String) client.get("audience"));
            }
            if (client.get("algorithm") != null) {
                builder.algorithm(algorithm(client));
            }
            return builder;
        }
        MessageSignatureBuilder builder = PosternClient.messageSignature(appKey, key);
        if (client.get("algorithm") != null) {
            builder.algorithm(algorithm(client));
        }
        if (client.get("coverAlso") != null) {
            builder.coverAlso(Vector.list(client, "coverAlso").toArray(new String[0]));
        }
        if (client.get("tag") != null) {
            builder.tag((String) client.get("tag"));
        }
        if (client.get("label") != null) {
            builder.label((String) client.get("label"));
        }
        return builder.nonce(!Boolean.FALSE.equals(client.get("nonce")));
    }

    /** The private key; null where there is none. */
    static SigningKey key(Map<?, ?> client) {
        Map<?, ?> key = (Map<?, ?>) client.get("privateKey");
        if (key == null) {
            return null;
        }
        if (key.get("pem") != null) {
            return SigningKey.ofPem((String) key.get("pem"));
        }
        if (key.get("jwk") != null) {
            return SigningKey.ofJwk(JsonWriter.write((Map<?, ?>) key.get("jwk")));
        }
        List<String> words = Arrays.asList(Vector.list(key, "signer").toArray(new String[0]));
        if (client.get("algorithm") == null) {
            throw new SigningProblem(SigningProblem.Code.INVALID_CREDENTIAL, "The algorithm of the signer is missing.");
        }
        return SigningKey.of(algorithm(client), message -> run(words, message));
    }

    private static SignatureAlgorithm algorithm(Map<?, ?> client) {
        boolean isAssertion = client.get("method").equals("private-key-jwt");
        return Arrays.stream(SignatureAlgorithm.values())
                .filter(each -> client.get("algorithm").equals(isAssertion ? each.assertionName() : each.messageName()))
                .findFirst().orElseThrow(() -> new SigningProblem(SigningProblem.Code.INVALID_CREDENTIAL,
                        "There is no such algorithm for this method."));
    }

    private static byte[] run(List<String> words, byte[] message) throws IOException {
        Process program = new ProcessBuilder(words).redirectError(ProcessBuilder.Redirect.DISCARD).start();
        try (OutputStream input = program.getOutputStream()) {
            input.write(message);
        }
        byte[] signature = program.getInputStream().readAllBytes();
        try {
            if (program.waitFor() != 0) {
                throw new IOException("the program ended with " + program.exitValue());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
        return signature;
    }
}

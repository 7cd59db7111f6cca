package io.github.postern.client;

import java.security.SecureRandom;

/** Makes nonces of 128 random bits. */
final class Nonces {
    /** Characters of a nonce. */
    static final int LENGTH = 32;

    private static final SecureRandom RANDOM = new SecureRandom();

    private Nonces() {
    }

    static String next() {
        byte[] bytes = new byte[LENGTH / 2];
        RANDOM.nextBytes(bytes);
        return Bytes.hex(bytes);
    }
}

package io.github.postern.client;

import java.util.Optional;

/** Signatures of ECDSA in their two forms. */
final class EcdsaSignatures {
    private static final int SEQUENCE = 0x30;
    private static final int INTEGER = 0x02;

    private EcdsaSignatures() {
    }

    /**
     * Turns the ASN.1 of a signature into r and s; nothing for what is no such signature.
     *
     * @param size the bytes of each
     */
    static Optional<byte[]> joined(byte[] asn1, int size) {
        if (asn1.length < 2 || asn1[0] != SEQUENCE || asn1[1] != asn1.length - 2) {
            return Optional.empty();
        }
        byte[] joined = new byte[2 * size];
        int at = 2;
        for (int end = size; end <= 2 * size; end += size) {
            boolean isNumber = at + 2 < asn1.length && asn1[at] == INTEGER && asn1[at + 1] > 0
                    && asn1[at + 1] <= asn1.length - at - 2 && asn1[at + 2] >= 0;
            if (!isNumber) {
                return Optional.empty();
            }
            int start = at + 2;
            at = start + asn1[at + 1];
            while (start < at && asn1[start] == 0) {
                start++;
            }
            if (at - start > size) {
                return Optional.empty();
            }
            System.arraycopy(asn1, start, joined, end - (at - start), at - start);
        }
        return at == asn1.length ? Optional.of(joined) : Optional.empty();
    }
}

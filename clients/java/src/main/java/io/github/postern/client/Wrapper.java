package io.github.postern.client;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

/** The JSON wrapper of a parameter signature, written to the byte as the gateway expects it. */
final class Wrapper {
    private static final String ESCAPED = "\"\\\b\t\n\f\r";
    private static final String SHORT = "\"\\btnfr";

    private Wrapper() {
    }

    static byte[] write(byte[] data, String appKey, String sign, long timestamp) {
        ByteArrayOutputStream out = new ByteArrayOutputStream(data.length + data.length / 8 + 256);
        write(out, "{\"data\":\"");
        for (byte each : data) {
            escape(out, each);
        }
        write(out, "\",\"appKey\":\"" + appKey + "\",\"sign\":\"" + sign + "\",\"apiTimestamp\":" + timestamp + "}");
        return out.toByteArray();
    }

    private static void escape(ByteArrayOutputStream out, byte each) {
        int at = ESCAPED.indexOf(each);
        if (at >= 0) {
            out.write('\\');
            out.write(SHORT.charAt(at));
        } else if (each >= 0 && each < 0x20) {
            write(out, "\\u00" + Character.forDigit(each >> 4, 16) + Character.forDigit(each & 15, 16));
        } else {
            out.write(each);
        }
    }

    private static void write(ByteArrayOutputStream out, String text) {
        out.writeBytes(text.getBytes(StandardCharsets.US_ASCII));
    }
}

package io.github.postern.client;

import static io.github.postern.client.SigningProblem.Code.BODY_NOT_SIGNABLE;
import static io.github.postern.client.SigningProblem.Code.BODY_TOO_LARGE;

import java.io.IOException;
import okhttp3.RequestBody;
import okio.Buffer;
import okio.BufferedSink;
import okio.ForwardingSink;
import okio.Okio;

/** Reads bodies of OkHttp requests into memory. */
final class OkHttpBodies {
    private OkHttpBodies() {
    }

    static byte[] read(RequestBody body, int limit) throws IOException {
        if (body.isDuplex()) {
            throw new SigningProblem(BODY_NOT_SIGNABLE, "A duplex body has no end before the answer.");
        }
        if (body.contentLength() > limit) {
            throw tooLarge(limit);
        }
        Buffer bytes = new Buffer();
        try (BufferedSink sink = Okio.buffer(new Bounded(bytes, limit))) {
            body.writeTo(sink);
        }
        return bytes.readByteArray();
    }

    /** Whether the body can be written a second time. */
    static boolean isRepeatable(RequestBody body) {
        return body == null || !body.isOneShot() && !body.isDuplex();
    }

    private static SigningProblem tooLarge(int limit) {
        return new SigningProblem(BODY_TOO_LARGE, "The body has more than " + limit + " bytes.");
    }

    private static final class Bounded extends ForwardingSink {
        private final int limit;
        private long written;

        Bounded(Buffer bytes, int limit) {
            super(bytes);
            this.limit = limit;
        }

        @Override
        public void write(Buffer source, long count) throws IOException {
            written += count;
            if (written > limit) {
                // What is left in the source would be written again when the sink closes.
                source.clear();
                throw tooLarge(limit);
            }
            super.write(source, count);
        }
    }
}

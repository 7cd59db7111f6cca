package io.github.postern.client;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.PrivateKey;
import java.security.Signature;
import java.util.Arrays;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** Answers the questions of ../tools/speed.mjs. */
final class Speed {
    private static final String APP_KEY = "3f0c9a1be27d4856";
    private static final String APP_SECRET = "an App Secret of 32 characters ..";
    private static final byte[] BODY = new byte[200];

    private Speed() {
    }

    private interface Step {
        void run() throws GeneralSecurityException;
    }

    public static void main(String[] arguments) throws Exception {
        Arrays.fill(BODY, (byte) 'a');
        String pem = System.getenv("PRIVATE_KEY");
        PosternClient byHmac = PosternClient.hmac(APP_KEY, APP_SECRET).build();
        PosternClient byKey = PosternClient.messageSignature(APP_KEY, SigningKey.ofPem(pem)).build();
        RequestToSign request = RequestToSign.of("POST", "https://api.example.com/orders?page=2")
                .header("Content-Type", "application/json").body(BODY);
        byte[] text = signedText(byHmac, request);
        byte[] base = signedText(byKey, request);
        byte[] secret = APP_SECRET.getBytes(StandardCharsets.UTF_8);
        PrivateKey key = KeyReader.readPem(pem).privateKey();
        Signature signature = Signature.getInstance("SHA256withECDSAinP1363Format");
        Step hashes = () -> {
            MessageDigest.getInstance("SHA-256").digest(BODY);
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(secret, "HmacSHA256"));
            mac.doFinal(text);
        };
        Step bareSignature = () -> {
            signature.initSign(key);
            signature.update(base);
            signature.sign();
        };

        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            String[] words = line.split(" ");
            boolean isHmac = words[0].equals("hmac");
            int count = Integer.parseInt(words[1]);
            PosternClient client = isHmac ? byHmac : byKey;
            System.out.println(timed(count, isHmac ? hashes : bareSignature) + " "
                    + timed(count, () -> client.sign(request)));
        }
    }

    private static byte[] signedText(PosternClient client, RequestToSign request) {
        return client.sign(request).stringToSign().orElseThrow().getBytes(StandardCharsets.US_ASCII);
    }

    /** The CPU time of something that is done so many times, in nanoseconds. */
    private static long timed(int count, Step step) throws GeneralSecurityException {
        long start = cpuTime();
        for (int done = 0; done < count; done++) {
            step.run();
        }
        return cpuTime() - start;
    }

    /** Of this thread: that of the process is counted in steps of 10 milliseconds. */
    private static long cpuTime() {
        return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
    }
}

package io.github.postern.client;

import static io.github.postern.client.SigningProblem.Code.BODY_TOO_LARGE;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/** Signs method, address and body with a private key (RFC 9421). */
final class MessageSigner implements Signer {
    private static final Set<String> DERIVED = Set.of("@method", "@authority", "@scheme", "@target-uri",
            "@request-target", "@path", "@query");
    private static final List<String> ALWAYS = List.of("@method", "@authority", "@path", "@query");
    private static final String DIGEST = "content-digest";

    private final String appKey;
    private final SigningKey key;
    private final SignatureAlgorithm algorithm;
    private final List<String> coverAlso;
    private final String tag;
    private final String label;
    private final boolean nonce;
    /** What the gateway asked for; for the next attempt only. */
    private final Supplier<String> askedNonce;

    MessageSigner(String appKey, SigningKey key, SignatureAlgorithm algorithm, List<String> coverAlso, String tag,
            String label, boolean nonce) {
        this(appKey, key, algorithm, coverAlso, tag, label, nonce, () -> null);
    }

    private MessageSigner(String appKey, SigningKey key, SignatureAlgorithm algorithm, List<String> coverAlso,
            String tag, String label, boolean nonce, Supplier<String> askedNonce) {
        this.appKey = appKey;
        this.key = key;
        this.algorithm = algorithm;
        this.coverAlso = coverAlso;
        this.tag = tag;
        this.label = label;
        this.nonce = nonce;
        this.askedNonce = askedNonce;
    }

    @Override
    public boolean readsBody() {
        return true;
    }

    @Override
    public SignedRequest sign(RequestToSign request, Stamp stamp) {
        WireUrl url = WireUrl.parse(request.url());
        byte[] body = request.bytes();
        if (body.length > LARGEST_BODY) {
            throw new SigningProblem(BODY_TOO_LARGE, "The body has more than " + LARGEST_BODY + " bytes.");
        }
        HeaderList headers = request.headerList();
        if (body.length > 0) {
            byte[] hash = Bytes.digest("SHA-256").digest(body);
            headers = headers.with("Content-Digest", "sha-256=:" + Base64.getEncoder().encodeToString(hash) + ":");
        }
        SignedParts parts = new SignedParts(request.method(), url, headers, body.length);
        Set<String> covered = covered(headers, body.length > 0);
        StringBuilder base = new StringBuilder(512);
        for (String name : covered) {
            base.append('"').append(name).append("\": ").append(parts.value(name)).append('\n');
        }
        String parameters = parameters(covered, stamp);
        base.append("\"@signature-params\": ").append(parameters);
        String text = base.toString();
        byte[] signature = key.sign(algorithm, text.getBytes(StandardCharsets.US_ASCII));
        headers = headers.with("Signature-Input", label + "=" + parameters)
                .with("Signature", label + "=:" + Base64.getEncoder().encodeToString(signature) + ":");
        return new SignedRequest(request.method(), url, headers, body, text);
    }

    /** The components in their order. */
    private Set<String> covered(HeaderList headers, boolean hasBody) {
        Set<String> names = new LinkedHashSet<>(ALWAYS);
        if (hasBody) {
            names.add(DIGEST);
        }
        for (String name : coverAlso) {
            if (hasBody || !isLeftOut(headers, name)) {
                names.add(name);
            }
        }
        return names;
    }

    /** Whether a request without a body does not have a field that it would have with one. */
    private static boolean isLeftOut(HeaderList headers, String name) {
        return name.equals(DIGEST) || name.equals("content-length")
                || name.equals("content-type") && headers.all(name).isEmpty();
    }

    private String parameters(Set<String> covered, Stamp stamp) {
        StringBuilder text = new StringBuilder(256).append("(\"").append(String.join("\" \"", covered))
                .append("\");created=").append(stamp.now()).append(";keyid=\"").append(appKey).append('"');
        if (nonce) {
            String asked = askedNonce.get();
            text.append(";nonce=\"").append(asked == null ? stamp.nonce() : asked).append('"');
        }
        if (tag != null) {
            text.append(";tag=\"").append(tag).append('"');
        }
        return text.toString();
    }

    @Override
    public Optional<Signer> obey(String accepted, RequestToSign request) {
        boolean hasBody = request.bytes().length > 0;
        SignedParts parts = new SignedParts(request.method(), WireUrl.parse(request.url()), request.headerList(),
                request.bytes().length);
        return AcceptSignature.read(accepted,
                wish -> wish.fits(appKey, algorithm) && wish.components().stream().allMatch(name -> has(name, parts)))
                .flatMap(wish -> fulfil(wish, covered(request.headerList(), hasBody)));
    }

    /** Whether a signature of a request can cover a component. */
    private static boolean has(String name, SignedParts parts) {
        if (name.equals(DIGEST)) {
            return parts.hasBody();
        }
        if (name.startsWith("@")) {
            return DERIVED.contains(name);
        }
        try {
            parts.value(name);
            return true;
        } catch (SigningProblem e) {
            return false;
        }
    }

    private Optional<Signer> fulfil(AcceptSignature wish, Set<String> covered) {
        List<String> cover = new ArrayList<>(coverAlso);
        wish.components().stream().filter(name -> !covered.contains(name)).forEach(cover::add);
        String newTag = wish.tag().orElse(tag);
        boolean isMore = cover.size() > coverAlso.size() || newTag != null && !newTag.equals(tag)
                || wish.nonce().isPresent() && !nonce;
        if (!isMore) {
            return Optional.empty();
        }
        return Optional.of(new MessageSigner(appKey, key, algorithm, List.copyOf(cover), newTag, wish.label(),
                nonce || wish.nonce().isPresent(), once(wish.nonce().orElse(null))));
    }

    /** One call makes one attempt after the other, so nobody asks at the same time. */
    private static Supplier<String> once(String nonce) {
        List<String> left = new ArrayList<>();
        if (nonce != null) {
            left.add(nonce);
        }
        return () -> left.isEmpty() ? null : left.remove(0);
    }

    @Override
    public Set<String> headersSet() {
        return Set.of("Content-Digest", "Signature-Input", "Signature");
    }

    @Override
    public String toString() {
        return "method=http-message-signature, appKey=" + appKey + ", privateKey=" + Secret.PRINTED + ", algorithm="
                + algorithm + ", coverAlso=" + coverAlso + ", tag=" + tag + ", label=" + label + ", nonce=" + nonce;
    }
}

package io.github.postern.client;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;

/** What a gateway asks for in an {@code Accept-Signature} (RFC 9421 §5). */
final class AcceptSignature {
    private static final int LONGEST = 16_384;
    private static final int MOST_COMPONENTS = 64;
    private static final int LONGEST_NONCE = 256;

    private final String label;
    private final List<String> components = new ArrayList<>();
    private String nonce;
    private String tag;
    private String keyId;
    private String algorithm;

    private AcceptSignature(String label) {
        this.label = label;
    }

    /** The first member that is understood and can be done; nothing for what does not parse. */
    static Optional<AcceptSignature> read(String text, Predicate<AcceptSignature> canBeDone) {
        if (text.length() > LONGEST) {
            return Optional.empty();
        }
        return StructuredField.dictionary(text).flatMap(members -> members.stream()
                .map(AcceptSignature::read).flatMap(Optional::stream).filter(canBeDone).findFirst());
    }

    private static Optional<AcceptSignature> read(StructuredField.Member member) {
        if (member.items() == null || member.items().size() > MOST_COMPONENTS) {
            return Optional.empty();
        }
        AcceptSignature wish = new AcceptSignature(member.key());
        for (StructuredField.Item item : member.items()) {
            String name = item.plainText().orElse("");
            if (name.isEmpty() || HeaderNames.hasUpperCase(name) || wish.components.contains(name)) {
                return Optional.empty();
            }
            wish.components.add(name);
        }
        boolean isUnderstood = member.parameters().entrySet().stream().allMatch(wish::take);
        return isUnderstood ? Optional.of(wish) : Optional.empty();
    }

    private boolean take(Map.Entry<String, Object> parameter) {
        Object value = parameter.getValue();
        if (parameter.getKey().equals("created")) {
            return value.equals(true);
        }
        if (!(value instanceof String) || !isParameter((String) value)) {
            return false;
        }
        String text = (String) value;
        switch (parameter.getKey()) {
            case "nonce":
                nonce = text;
                return text.length() <= LONGEST_NONCE;
            case "tag":
                tag = text;
                return true;
            case "keyid":
                keyId = text;
                return true;
            case "alg":
                algorithm = text;
                return true;
            default:
                return false;
        }
    }

    /** Whether a text can stand in a signature as it is: printable ASCII without {@code "} and {@code \}; not empty. */
    static boolean isParameter(String text) {
        return !text.isEmpty()
                && text.chars().allMatch(each -> each >= 0x20 && each <= 0x7E && each != '"' && each != '\\');
    }

    /** Whether the signature that is asked for is one of this App Key by this algorithm. */
    boolean fits(String appKey, SignatureAlgorithm used) {
        return (keyId == null || keyId.equals(appKey)) && (algorithm == null || algorithm.equals(used.messageName()));
    }

    String label() {
        return label;
    }

    List<String> components() {
        return components;
    }

    Optional<String> nonce() {
        return Optional.ofNullable(nonce);
    }

    Optional<String> tag() {
        return Optional.ofNullable(tag);
    }
}

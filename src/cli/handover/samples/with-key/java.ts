import { literal } from '../language.ts';
import { BODY_TYPE, type KeyCall, type KeyLanguage, tagText } from './key-call.ts';

function program(call: KeyCall): string {
  const { http, body, coversType } = call;
  const ofBody =
    body === null
      ? []
      : [
          `var body = ${literal(body)}.getBytes(UTF_8);`,
          'var hash = Base64.getEncoder().encodeToString(MessageDigest.getInstance("SHA-256").digest(body));',
          'var digest = "sha-256=:" + hash + ":";',
          `builder.header("Content-Digest", digest).header("Content-Type", "${BODY_TYPE}");`,
          'values.put("content-digest", digest);',
          ...(coversType ? [`values.put("content-type", "${BODY_TYPE}");`] : []),
        ];
  const publisher = body === null ? 'noBody()' : 'ofByteArray(body)';
  return `import java.net.URI;
import java.net.http.*;
import java.nio.file.*;
import java.security.*;
import java.security.interfaces.*;
import java.security.spec.*;
import java.time.Instant;
import java.util.*;
import static java.nio.charset.StandardCharsets.UTF_8;

class FirstCall {
  static PrivateKey readKey() throws Exception {
    var text = Files.readString(Path.of(System.getenv("PRIVATE_KEY_FILE")));
    var spec = new PKCS8EncodedKeySpec(Base64.getMimeDecoder().decode(text.replaceAll("-----[^-]*-----", "")));
    for (var kind : List.of("Ed25519", "EC", "RSA")) {
      try {
        return KeyFactory.getInstance(kind).generatePrivate(spec);
      } catch (InvalidKeySpecException otherKind) {
        continue;
      }
    }
    throw new InvalidKeyException("a key of another kind");
  }

  static byte[] sign(PrivateKey key, byte[] base) throws Exception {
    Signature signer;
    if (key instanceof ECKey ec) {
      var hash = ec.getParams().getOrder().bitLength() > 256 ? "SHA384" : "SHA256";
      signer = Signature.getInstance(hash + "withECDSAinP1363Format");
    } else if (key instanceof RSAKey) {
      signer = Signature.getInstance("RSASSA-PSS");
      signer.setParameter(new PSSParameterSpec("SHA-512", "MGF1", MGF1ParameterSpec.SHA512, 64, 1));
    } else {
      signer = Signature.getInstance("Ed25519");
    }
    signer.initSign(key);
    signer.update(base);
    return signer.sign();
  }

  public static void main(String[] args) throws Exception {
    var uri = URI.create(System.getenv("POSTERN_URL"));
    var method = ${literal(http)};
    var builder = HttpRequest.newBuilder(uri).version(HttpClient.Version.HTTP_1_1);
    var values = new LinkedHashMap<String, String>();
    values.put("@method", method);
    values.put("@authority", uri.getRawAuthority().toLowerCase(Locale.ROOT));
    values.put("@path", uri.getRawPath().isEmpty() ? "/" : uri.getRawPath());
    values.put("@query", "?" + Objects.requireNonNullElse(uri.getRawQuery(), ""));
${ofBody.map((line) => `    ${line}\n`).join('')}
    var names = "\\"" + String.join("\\" \\"", values.keySet()) + "\\"";
    var parameters = ";created=" + Instant.now().getEpochSecond() + ";keyid=\\"" + System.getenv("APP_KEY")
        + "\\";nonce=\\"" + UUID.randomUUID() + "\\"" + ${literal(tagText(call))};
    var input = "(" + names + ")" + parameters;
    var base = new StringBuilder();
    values.forEach((name, value) -> base.append("\\"" + name + "\\": " + value + "\\n"));
    base.append("\\"@signature-params\\": " + input);
    var signature = Base64.getEncoder().encodeToString(sign(readKey(), base.toString().getBytes(UTF_8)));
    builder.header("Signature-Input", "sig1=" + input).header("Signature", "sig1=:" + signature + ":");

    var request = builder.method(method, HttpRequest.BodyPublishers.${publisher}).build();
    var response = HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
    System.out.println(response.statusCode() + " " + response.body());
    System.exit(response.statusCode() < 400 ? 0 : 1);
  }
}
`;
}

/** Samples in Java, from version 16 on, with the standard library. */
export const javaWithKey: KeyLanguage = {
  title: 'Java 16 or later',
  fence: 'java',
  programName: 'FirstCall.java',
  program,
  projectFiles: [],
  install: [],
  run: 'java FirstCall.java',
};

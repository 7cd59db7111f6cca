import com.nimbusds.jose.util.JSONObjectUtils;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Answers one question a line, as ../README.md says. */
final class Driver {
    private Driver() {
    }

    public static void main(String[] arguments) throws Exception {
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            System.out.println(JSONObjectUtils.toJSONString(answer(line)));
            System.out.flush();
        }
    }

    private static Map<String, Object> answer(String line) {
        Map<String, Object> answer = new HashMap<>();
        try {
            Map<String, Object> question = JSONObjectUtils.parse(line);
            answer.put("id", question.get("id"));
            if ("describe".equals(question.get("op"))) {
                answer.put("signers", List.of());
                answer.put("tokenClients", List.of("com.nimbusds:oauth2-oidc-sdk"));
                return answer;
            }
            if ("issue".equals(question.get("op")) && "com.nimbusds:nimbus-jose-jwt".equals(question.get("library"))) {
                answer.putAll(Issuer.issue(question));
                return answer;
            }
            if (!"token".equals(question.get("op")) || !"com.nimbusds:oauth2-oidc-sdk".equals(question.get("library"))) {
                throw new IllegalArgumentException("nothing answers " + question.get("op") + " " + question.get("library"));
            }
            answer.putAll(TokenClient.ask(question));
        } catch (Exception error) {
            answer.put("error", error.toString());
        }
        return answer;
    }
}

package io.github.postern.client;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/** The test program of {@code CONTRACT.md}: questions on standard input, answers on standard output, one a line. */
final class Driver {
    private static final long LONGEST_CALL_MINUTES = 5;

    private final Map<String, DriverClient> clients = new ConcurrentHashMap<>();
    private final PrintStream out;

    private Driver(PrintStream out) {
        this.out = out;
    }

    public static void main(String[] arguments) throws IOException, InterruptedException {
        Driver driver = new Driver(new PrintStream(System.out, true, UTF_8));
        // Only answers go there, whatever a library prints.
        System.setOut(System.err);
        ExecutorService calls = Executors.newCachedThreadPool();
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, UTF_8));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            driver.take(line, calls);
        }
        calls.shutdown();
        calls.awaitTermination(LONGEST_CALL_MINUTES, TimeUnit.MINUTES);
        System.exit(0);
    }

    private void take(String line, ExecutorService calls) {
        Map<?, ?> question = Json.readObject(line).orElse(null);
        if (question == null || !(question.get("op") instanceof String)) {
            print(Map.of("error", "cannot read this line"));
        } else if (question.get("op").equals("create")) {
            // Before the next line, which may use the client.
            print(answer(question));
        } else {
            calls.execute(() -> print(answer(question)));
        }
    }

    private void print(Map<String, Object> answer) {
        String line = JsonWriter.write(answer);
        synchronized (out) {
            out.println(line);
        }
    }

    private Map<String, Object> answer(Map<?, ?> question) {
        Map<String, Object> answer = new LinkedHashMap<>();
        answer.put("id", question.get("id"));
        try {
            answer.putAll(carryOut(question));
        } catch (SigningProblem e) {
            answer.put("problem", problem(e));
        } catch (NotSentException e) {
            answer.put("problem", problem(e.problem()));
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        } catch (Exception | LinkageError e) {
            answer.put("error", e.toString());
        }
        return answer;
    }

    private Map<String, Object> carryOut(Map<?, ?> question) throws Exception {
        switch ((String) question.get("op")) {
            case "describe":
                return Map.of("adapters", List.of(
                        Map.of("name", "java.net.http", "http", List.of("1.1", "2")),
                        Map.of("name", "okhttp", "http", List.of("1.1", "2"))));
            case "create":
                clients.put((String) question.get("name"), new DriverClient((Map<?, ?>) question.get("client")));
                return Map.of("created", true);
            case "sign":
                return sign(question);
            case "assertion":
                return Map.of("assertion", client(question).assertion());
            case "send":
                return client(question).send((String) question.get("adapter"), (String) question.get("http"),
                        (Map<?, ?>) question.get("request"));
            case "print":
                return Map.of("text", client(question).print());
            default:
                throw new IllegalArgumentException("no such op");
        }
    }

    private Map<String, Object> sign(Map<?, ?> question) throws Exception {
        Map<?, ?> request = (Map<?, ?>) question.get("request");
        Object accepted = question.get("acceptSignature");
        if (accepted == null) {
            return Map.of("signed", signed(client(question).sign(request)));
        }
        Map<String, Object> answer = new LinkedHashMap<>();
        answer.put("signed", client(question).signAgain(request, (String) accepted).map(Driver::signed).orElse(null));
        return answer;
    }

    private DriverClient client(Map<?, ?> question) {
        DriverClient client = clients.get(String.valueOf(question.get("name")));
        if (client == null) {
            throw new IllegalArgumentException("no such client");
        }
        return client;
    }

    private static Map<String, Object> problem(SigningProblem problem) {
        return Map.of("code", problem.code().name(), "message", problem.getMessage());
    }

    private static Map<String, Object> signed(SignedRequest request) {
        return Map.of("method", request.method(), "url", request.url(), "headers", pairs(request.headers()),
                "body", Base64.getEncoder().encodeToString(request.body()));
    }

    static List<List<String>> pairs(List<Map.Entry<String, String>> headers) {
        return headers.stream().map(each -> List.of(each.getKey(), each.getValue()))
                .collect(Collectors.toList());
    }
}

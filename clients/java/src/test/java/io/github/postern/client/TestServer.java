package io.github.postern.client;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** A server that gives prepared answers, then 200 with {@code ok}, and keeps what it got. */
final class TestServer implements AutoCloseable {
    private final HttpServer server;
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final Queue<Handler> answers = new ConcurrentLinkedQueue<>();
    private final List<Received> received = new CopyOnWriteArrayList<>();

    TestServer() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(threads);
        server.createContext("/", this::handle);
        server.start();
    }

    interface Handler {
        void answer(HttpExchange exchange) throws IOException;
    }

    /** One request. */
    static final class Received {
        final String method;
        final String target;
        final Map<String, List<String>> headers;
        final byte[] body;

        Received(HttpExchange exchange) throws IOException {
            method = exchange.getRequestMethod();
            target = exchange.getRequestURI().toString();
            headers = exchange.getRequestHeaders();
            body = exchange.getRequestBody().readAllBytes();
        }

        String header(String name) {
            return HeaderList.of(headers).first(name).orElse(null);
        }

        String text() {
            return new String(body, StandardCharsets.UTF_8);
        }
    }

    String url(String target) {
        return "http://127.0.0.1:" + server.getAddress().getPort() + target;
    }

    List<Received> received() {
        return received;
    }

    Received only() {
        if (received.size() != 1) {
            throw new AssertionError(received.size() + " requests");
        }
        return received.get(0);
    }

    TestServer then(Handler answer) {
        answers.add(answer);
        return this;
    }

    /** The next answer: headers are names and values in turn. */
    TestServer then(int status, String body, String... headers) {
        return then(exchange -> {
            for (int at = 0; at < headers.length; at += 2) {
                exchange.getResponseHeaders().set(headers[at], headers[at + 1]);
            }
            byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
            exchange.getResponseBody().write(bytes);
        });
    }

    /** The next answer is a refusal of the gateway. */
    TestServer refuse(int status, String code, String... headers) {
        Queue<String> all = new ArrayDeque<>(List.of("Content-Type", "application/json"));
        all.addAll(List.of(headers));
        return then(status, "{\"code\":\"" + code + "\",\"message\":\"No.\",\"requestId\":\"r-1\"}",
                all.toArray(new String[0]));
    }

    /** The connection ends without an answer. */
    TestServer breakOff() {
        return then(HttpExchange::close);
    }

    private void handle(HttpExchange exchange) throws IOException {
        received.add(new Received(exchange));
        Handler answer = answers.poll();
        if (answer == null) {
            exchange.sendResponseHeaders(200, 2);
            exchange.getResponseBody().write("ok".getBytes(StandardCharsets.UTF_8));
        } else {
            answer.answer(exchange);
        }
        exchange.close();
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}

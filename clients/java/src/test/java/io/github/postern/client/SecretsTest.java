package io.github.postern.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.Serializable;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import okhttp3.OkHttpClient;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** No secret is printed, serialized or in an error. */
class SecretsTest {
    private static final String SECRET = "the-app-secret-value";
    private static final String KEY = "the-app-key-value";
    private static final String PRIVATE = "n4Ni-HpISpVObnQMW0wOhCKROaIKqKtW_2ZYb2p9KcU";

    static Stream<PosternClient> clients() {
        SigningKey privateKey = SigningKey.ofJwk("{\"kty\":\"OKP\",\"crv\":\"Ed25519\",\"d\":\"" + PRIVATE + "\","
                + "\"x\":\"JrQLj5P_89iXES9-vFgrIy29clF9CC_oPPsw3c5D0bs\"}");
        return Stream.of(PosternClient.key(KEY).build(), PosternClient.key(KEY).query("appKey").build(),
                PosternClient.hmac("k", SECRET).nonce(true).build(),
                PosternClient.parameterSignature("k", SECRET).build(),
                PosternClient.oauth2("k", SECRET, "https://api.example.com/oauth2/token").build(),
                PosternClient.messageSignature("k", privateKey).build(),
                PosternClient.privateKeyJwt("k", privateKey, "https://api.example.com/oauth2/token").build());
    }

    @ParameterizedTest
    @MethodSource("clients")
    void nothingPrintsASecret(PosternClient client) throws Exception {
        OkHttpClient okHttp = PosternOkHttp.of(client);
        List<Object> roots = new ArrayList<>(List.of(client, PosternHttpClient.of(client)));
        roots.addAll(okHttp.interceptors());
        roots.addAll(okHttp.networkInterceptors());
        if (client.tokens().isEmpty()) {
            roots.add(client.sign(RequestToSign.of("GET", "https://api.example.com/a")));
        }
        for (Object each : reachable(roots)) {
            String printed = String.valueOf(each);
            assertTrue(Stream.of(SECRET, KEY, PRIVATE).noneMatch(printed::contains), each.getClass() + " prints a secret");
        }
        assertTrue(client.toString().contains("[secret]"), client.toString());
    }

    /** The objects of the package that these are made of. */
    private static Set<Object> reachable(List<Object> roots) throws IllegalAccessException {
        Set<Object> seen = Collections.newSetFromMap(new IdentityHashMap<>());
        Deque<Object> open = new ArrayDeque<>(roots);
        while (!open.isEmpty()) {
            Object each = open.pop();
            if (each == null || !isOurs(each.getClass()) || !seen.add(each)) {
                continue;
            }
            for (Field field : each.getClass().getDeclaredFields()) {
                if (!Modifier.isStatic(field.getModifiers())) {
                    field.setAccessible(true);
                    open.push(field.get(each) == null ? "" : field.get(each));
                }
            }
        }
        assertTrue(seen.stream().anyMatch(Secret.class::isInstance) || seen.size() > 3, "too little was looked at");
        return seen;
    }

    private static boolean isOurs(Class<?> type) {
        return type.getPackage() != null && type.getPackage().equals(Secret.class.getPackage());
    }

    @Test
    void whatHoldsASecretIsNotSerializable() throws Exception {
        Set<Class<?>> serializable = Set.of(Refusal.class, SigningProblem.class, NotSentException.class,
                RefusalException.class, TokenException.class, ResendGuard.Stopped.class);
        for (Class<?> type : classes()) {
            if (Serializable.class.isAssignableFrom(type) && !type.isEnum()) {
                assertTrue(serializable.contains(type), type + " is serializable");
            }
        }
    }

    static List<Class<?>> classes() throws IOException {
        Path folder = Path.of("target/classes/io/github/postern/client");
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(file -> file.getFileName().toString().replace(".class", ""))
                    .map(SecretsTest::load).collect(Collectors.toList());
        }
    }

    private static Class<?> load(String name) {
        try {
            return Class.forName("io.github.postern.client." + name);
        } catch (ClassNotFoundException e) {
            throw new UncheckedIOException(new IOException(e));
        }
    }

    @Test
    void buildersPrintNoSecret() {
        assertEquals("HmacBuilder", PosternClient.hmac("k", SECRET).toString());
        assertEquals("KeyBuilder", PosternClient.key(KEY).toString());
    }

    @Test
    void problemsHoldNoSecret() {
        List<Runnable> wrong = List.of(
                () -> PosternClient.hmac("a b" + KEY, SECRET), () -> PosternClient.hmac("k", SECRET + "\n"),
                () -> PosternClient.hmac("k", " " + SECRET), () -> PosternClient.hmac("k", SECRET + "\ud83d"),
                () -> PosternClient.oauth2("k", SECRET, SECRET),
                () -> PosternClient.key(KEY).query("q").build()
                        .sign(RequestToSign.of("GET", "https://a/?q=" + SECRET)));
        for (Runnable each : wrong) {
            SigningProblem problem = assertThrows(SigningProblem.class, each::run);
            StringWriter trace = new StringWriter();
            problem.printStackTrace(new PrintWriter(trace));
            assertFalse(trace.toString().contains(SECRET) || trace.toString().contains(KEY), trace.toString());
        }
    }
}

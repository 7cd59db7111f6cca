package io.github.postern.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** OkHttp is optional: only the classes that are for it need it. */
class WithoutOkHttpTest {
    private static final Set<String> FOR_OKHTTP = Set.of("OkHttpAttempt", "OkHttpBodies", "OkHttpBodies$Bounded",
            "OkHttpPauses", "OkHttpTokens", "PosternOkHttp", "ResendGuard", "SigningInterceptor");

    @Test
    void allOtherClassesLoad() throws Exception {
        URL[] onlyOurs = {Path.of("target/classes/").toUri().toURL()};
        try (URLClassLoader loader = new URLClassLoader(onlyOurs, ClassLoader.getPlatformClassLoader())) {
            assertThrows(ClassNotFoundException.class, () -> loader.loadClass("okhttp3.OkHttpClient"));
            Set<String> needOkHttp = new TreeSet<>();
            for (Class<?> each : SecretsTest.classes()) {
                try {
                    Class.forName(each.getName(), true, loader).getDeclaredMethods();
                } catch (NoClassDefFoundError e) {
                    needOkHttp.add(each.getName().substring(each.getPackageName().length() + 1));
                }
            }
            assertEquals(new TreeSet<>(FOR_OKHTTP), needOkHttp);
        }
    }
}

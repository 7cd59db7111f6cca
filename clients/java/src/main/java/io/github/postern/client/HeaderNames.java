package io.github.postern.client;

import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

/** Which names are headers, and which headers the gateway takes as signed. */
final class HeaderNames {
    private static final Pattern TOKEN = Pattern.compile("[A-Za-z0-9!#$%&'*+.^_`|~-]+");
    private static final Pattern NOT_SIGNABLE = Pattern.compile(
            "authorization|connection|keep-alive|te|transfer-encoding|x-request-id|x-anonymous-consumer"
                    + "|x-(forwarded|envoy|consumer|credential|authenticated)-.*");
    private static final Set<String> OF_THE_CONNECTION = Set.of("connection", "content-length", "expect", "host",
            "keep-alive", "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade");

    private HeaderNames() {
    }

    static boolean isHeaderName(String name) {
        return TOKEN.matcher(name).matches();
    }

    static boolean hasUpperCase(String name) {
        return name.chars().anyMatch(each -> each >= 'A' && each <= 'Z');
    }

    /** False for headers that proxies or the gateway change; some servers read {@code _} as {@code -}. */
    static boolean isSignable(String name) {
        return isHeaderName(name) && !NOT_SIGNABLE.matcher(name.toLowerCase(Locale.ROOT).replace('_', '-')).matches();
    }

    /** True for headers that describe the connection or the framing of the body, which carry no App Key. */
    static boolean isOfTheConnection(String name) {
        return OF_THE_CONNECTION.contains(name.toLowerCase(Locale.ROOT));
    }
}

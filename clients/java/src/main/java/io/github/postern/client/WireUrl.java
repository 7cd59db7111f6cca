package io.github.postern.client;

import static io.github.postern.client.SigningProblem.Code.TARGET_NOT_SIGNABLE;

import java.util.Locale;

/**
 * A URL as it is sent: the authority without user and without the scheme's own port, the path (never empty), the query
 * ({@code null} when there is no {@code ?}), no fragment. No byte of path and query is changed.
 */
final class WireUrl {
    private final String scheme;
    private final String authority;
    private final String path;
    private final String query;

    private WireUrl(String scheme, String authority, String path, String query) {
        this.scheme = scheme;
        this.authority = authority;
        this.path = path;
        this.query = query;
    }

    static WireUrl parse(String url) {
        int colon = url.indexOf("://");
        String scheme = colon < 0 ? "" : url.substring(0, colon).toLowerCase(Locale.ROOT);
        if (!scheme.equals("http") && !scheme.equals("https")) {
            throw new SigningProblem(TARGET_NOT_SIGNABLE, "The URL does not begin with http:// or https://.");
        }
        String rest = before(url.substring(colon + 3), '#');
        String beforeQuery = before(rest, '?');
        String query = beforeQuery.length() == rest.length() ? null : rest.substring(beforeQuery.length() + 1);
        String authority = before(beforeQuery, '/');
        String path = beforeQuery.substring(authority.length());
        if (authority.isEmpty()) {
            throw new SigningProblem(TARGET_NOT_SIGNABLE, "The URL has no host.");
        }
        WireUrl result = new WireUrl(scheme, sent(scheme, authority), path.isEmpty() ? "/" : path, query);
        result.checkTarget();
        return result;
    }

    private static String sent(String scheme, String authority) {
        return withoutOwnPort(scheme, authority.substring(authority.lastIndexOf('@') + 1));
    }

    private static String withoutOwnPort(String scheme, String host) {
        String port = host.endsWith(":") ? ":" : scheme.equals("https") ? ":443" : ":80";
        return host.endsWith(port) ? host.substring(0, host.length() - port.length()) : host;
    }

    /** Another host as an authority of this URL, without the scheme's own port. */
    String withoutOwnPort(String host) {
        return withoutOwnPort(scheme, host);
    }

    private static String before(String text, char mark) {
        int at = text.indexOf(mark);
        return at < 0 ? text : text.substring(0, at);
    }

    private void checkTarget() {
        String target = target();
        int at = 0;
        while (at < target.length() && target.charAt(at) >= 0x21 && target.charAt(at) <= 0x7E) {
            at++;
        }
        if (at < target.length()) {
            throw new SigningProblem(TARGET_NOT_SIGNABLE,
                    "Path or query holds a character that is not percent-encoded: a blank, a control character, "
                            + "or one beyond ASCII.");
        }
    }

    boolean isSecure() {
        return scheme.equals("https");
    }

    String scheme() {
        return scheme;
    }

    String authority() {
        return authority;
    }

    /** Never empty. */
    String path() {
        return path;
    }

    /** The text after {@code ?}, empty when there is none. */
    String queryText() {
        return query == null ? "" : query;
    }

    String target() {
        return query == null ? path : path + "?" + query;
    }

    WireUrl withQuery(String text) {
        return new WireUrl(scheme, authority, path, text);
    }

    /** The whole URL. */
    String text() {
        return scheme + "://" + authority + target();
    }

    /** Scheme, authority and path: a query may hold secrets. */
    @Override
    public String toString() {
        return scheme + "://" + authority + path;
    }
}

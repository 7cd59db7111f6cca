package io.github.postern.client;

import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What the headers say that a body is, for parameter signatures. */
enum BodyKind {
    FORM, JSON, OTHER;

    private static final Pattern CHARSET = Pattern.compile(";\\s*charset\\s*=\\s*(\"[^\"]*\"|[^;]*)",
            Pattern.CASE_INSENSITIVE);

    /** By the media type alone; charset and content encoding are {@link #isPlainUtf8}. */
    static BodyKind of(HeaderList headers) {
        List<String> types = headers.all("Content-Type");
        if (types.size() != 1) {
            return OTHER;
        }
        String mediaType = types.get(0).split(";", 2)[0].trim().toLowerCase(Locale.ROOT);
        if (mediaType.equals("application/x-www-form-urlencoded")) {
            return FORM;
        }
        return mediaType.equals("application/json") ? JSON : OTHER;
    }

    /** False for a charset other than UTF-8 and for a compressed body. */
    static boolean isPlainUtf8(HeaderList headers) {
        return headers.all("Content-Type").stream().allMatch(BodyKind::isUtf8)
                && headers.all("Content-Encoding").stream().allMatch(each -> each.trim().equalsIgnoreCase("identity"));
    }

    private static boolean isUtf8(String contentType) {
        for (Matcher charset = CHARSET.matcher(contentType); charset.find();) {
            String name = charset.group(1).replace("\"", "").trim();
            if (!name.equalsIgnoreCase("utf-8")) {
                return false;
            }
        }
        return true;
    }
}

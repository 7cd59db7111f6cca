package io.github.postern.client;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.time.temporal.ChronoField;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalLong;

/** Dates of HTTP headers. */
final class HttpDates {
    /** Not {@link DateTimeFormatter#RFC_1123_DATE_TIME}, which writes one digit on days 1 to 9. */
    private static final DateTimeFormatter IMF_FIXDATE =
            DateTimeFormatter.ofPattern("EEE, dd MMM uuuu HH:mm:ss 'GMT'", Locale.US).withZone(ZoneOffset.UTC);

    /** All forms that RFC 9110 makes a recipient understand. */
    private static final List<DateTimeFormatter> READ = List.of(
            IMF_FIXDATE,
            new DateTimeFormatterBuilder().appendPattern("EEEE, dd-MMM-")
                    .appendValueReduced(ChronoField.YEAR, 2, 2, LocalDate.of(2000, 1, 1))
                    .appendPattern(" HH:mm:ss 'GMT'").toFormatter(Locale.US).withZone(ZoneOffset.UTC),
            DateTimeFormatter.ofPattern("EEE MMM ppd HH:mm:ss uuuu", Locale.US).withZone(ZoneOffset.UTC));

    /** The last one: writing it takes as long as a hash, and most requests are of the same second. */
    private static volatile Map.Entry<Long, String> written;

    private HttpDates() {
    }

    static String write(long seconds) {
        Map.Entry<Long, String> last = written;
        if (last == null || last.getKey() != seconds) {
            last = Map.entry(seconds, IMF_FIXDATE.format(Instant.ofEpochSecond(seconds)));
            written = last;
        }
        return last.getValue();
    }

    /** Seconds since 1970, or nothing when the text is no date. */
    static OptionalLong read(String text) {
        for (DateTimeFormatter format : READ) {
            try {
                return OptionalLong.of(Instant.from(format.parse(text.trim())).getEpochSecond());
            } catch (DateTimeException e) {
                continue;
            }
        }
        return OptionalLong.empty();
    }
}

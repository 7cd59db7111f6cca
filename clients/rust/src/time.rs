use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The last second of the year 9999, the last one that a `Date` can say.
const LAST_SECOND: u64 = 253_402_300_799;

/// Whole seconds since 1970, rounded down.
pub(crate) fn seconds(now: SystemTime) -> u64 {
    now.duration_since(UNIX_EPOCH).map_or(0, |age| age.as_secs()).min(LAST_SECOND)
}

/// An IMF-fixdate (RFC 9110 §5.6.7).
pub(crate) fn imf_date(seconds: u64) -> String {
    httpdate::fmt_http_date(UNIX_EPOCH + Duration::from_secs(seconds))
}

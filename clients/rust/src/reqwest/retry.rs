//! When a call is tried again, and after how long.

use std::time::Duration;

use ::reqwest::{Error, Method};

use crate::Refusal;

/// The longest wait that the gateway can ask for.
const LONGEST_WAIT: Duration = Duration::from_secs(60);
const SHORTEST_WAIT: Duration = Duration::from_secs(1);
const UNAVAILABLE: [&str; 3] = ["STORE_UNAVAILABLE", "LIMITER_UNAVAILABLE", "UNAVAILABLE"];

/// The wait before a refused call is tried again; `None` when it is not. `tried` counts from 0.
pub(super) fn after_refusal(method: &Method, refusal: &Refusal, tried: u32) -> Option<Duration> {
    let asked = refusal.retry_after();
    let wait = match (refusal.status(), refusal.code()) {
        (429, "RATE_LIMITED") => asked?,
        (503, code) if UNAVAILABLE.contains(&code) => spread(asked.unwrap_or_else(|| doubled(tried))),
        _ if refusal.accepted_before() && may_repeat(method) => SHORTEST_WAIT,
        _ => return None,
    };
    (asked.unwrap_or_default() <= LONGEST_WAIT).then_some(wait.max(SHORTEST_WAIT))
}

/// The wait before a call that got no answer is tried again; `None` when it is not.
pub(super) fn after_failure(method: &Method, error: &Error, tried: u32) -> Option<Duration> {
    let no_answer = error.is_connect() || (error.is_request() && !error.is_timeout());
    (may_repeat(method) && no_answer).then(|| spread(doubled(tried)))
}

/// Whether the API may get the request twice.
fn may_repeat(method: &Method) -> bool {
    [Method::GET, Method::HEAD, Method::OPTIONS, Method::PUT, Method::DELETE].contains(method)
}

/// 1, 2, 4 … seconds.
fn doubled(tried: u32) -> Duration {
    SHORTEST_WAIT.saturating_mul(1_u32.checked_shl(tried).unwrap_or(u32::MAX)).min(LONGEST_WAIT)
}

/// Up to a fifth longer by chance, so that clients that failed together do not come back together.
fn spread(wait: Duration) -> Duration {
    let chance = getrandom::u32().unwrap_or_default();
    wait + wait.mul_f64(f64::from(chance) / f64::from(u32::MAX) / 5.0)
}

#[cfg(test)]
mod tests {
    use std::time::SystemTime;

    use super::*;

    fn refusal(status: u16, code: &str, retry_after: Option<&str>) -> Refusal {
        let body = format!(r#"{{"code":"{code}","message":"m","requestId":"r"}}"#);
        let mut headers = vec![("content-type", b"application/json".as_slice())];
        headers.extend(retry_after.map(|value| ("retry-after", value.as_bytes())));
        Refusal::read(status, headers, body.as_bytes(), SystemTime::UNIX_EPOCH).unwrap()
    }

    fn seconds_after(status: u16, code: &str, retry_after: Option<&str>, tried: u32) -> Option<f64> {
        after_refusal(&Method::PUT, &refusal(status, code, retry_after), tried).map(|wait| wait.as_secs_f64())
    }

    #[test]
    fn a_limit_waits_as_long_as_it_says() {
        assert_eq!(seconds_after(429, "RATE_LIMITED", Some("7"), 0), Some(7.0));
        assert_eq!(seconds_after(429, "RATE_LIMITED", Some("60"), 0), Some(60.0));
        assert_eq!(seconds_after(429, "RATE_LIMITED", Some("0"), 0), Some(1.0));
        assert_eq!(seconds_after(429, "RATE_LIMITED", Some("61"), 0), None);
        assert_eq!(seconds_after(429, "RATE_LIMITED", None, 0), None);
        assert_eq!(seconds_after(429, "SLOW_DOWN", Some("1"), 0), None);
    }

    #[test]
    fn an_unavailable_gateway_gets_more_time_with_each_try() {
        for code in UNAVAILABLE {
            for (tried, least) in [(0, 1.0), (1, 2.0), (2, 4.0), (40, 60.0)] {
                let wait = seconds_after(503, code, None, tried).unwrap();
                assert!((least..=least * 1.2).contains(&wait), "{code} {tried}: {wait}");
            }
            let wait = seconds_after(503, code, Some("10"), 0).unwrap();
            assert!((10.0..=12.0).contains(&wait), "{wait}");
            assert_eq!(seconds_after(503, code, Some("61"), 0), None);
        }
        assert_eq!(seconds_after(503, "GATEWAY_ERROR", None, 0), None);
    }

    #[test]
    fn waits_differ_by_chance() {
        let waits: Vec<_> = (0..20).map(|_| seconds_after(503, "UNAVAILABLE", None, 3)).collect();
        assert!(waits.iter().any(|wait| *wait != waits[0]), "{waits:?}");
    }

    #[test]
    fn a_replayed_signature_is_made_again_after_a_second_where_it_may_be_repeated() {
        assert_eq!(after_refusal(&Method::POST, &refusal(401, "REQUEST_REPLAYED", None), 0), None);
        assert_eq!(seconds_after(401, "REQUEST_REPLAYED", None, 1), Some(1.0));
        assert_eq!(seconds_after(401, "AUTHENTICATION_FAILED", Some("1"), 0), None);
        assert_eq!(seconds_after(404, "ENDPOINT_NOT_FOUND", None, 0), None);
    }
}
